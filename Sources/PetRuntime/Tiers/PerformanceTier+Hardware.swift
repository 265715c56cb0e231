// SPDX-License-Identifier: Apache-2.0
extension PerformanceTier {
  /// The tier of a machine by what it is made of: the lower of what its memory and its processors allow.
  /// - Parameters:
  ///   - memory: bytes that this process may fill; 0: not known, which counts as `medium`.
  ///   - processors: processors' worth of time that it may use at once.
  ///   - hasInt8: whether the processor multiplies 8-bit integers in dot products.
  package init(memory: UInt64, processors: Double, hasInt8: Bool) {
    self = min(Self.tier(memory: memory), Self.tier(processors: processors, hasInt8: hasInt8))
  }

  /// 4 GB and more, 3 GB, less. A machine sold with 4 GB shows up to an eighth less: firmware and kernel keep some.
  private static func tier(memory: UInt64) -> PerformanceTier {
    switch memory {
    case 0: .medium
    case 3_500_000_000...: .high
    case 2_500_000_000...: .medium
    default: .low
    }
  }

  private static func tier(processors: Double, hasInt8: Bool) -> PerformanceTier {
    switch (hasInt8, processors) {
    case (true, 2...): .high
    case (true, 1...), (false, 4...): .medium
    default: .low
    }
  }
}
