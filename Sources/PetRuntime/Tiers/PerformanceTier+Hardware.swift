// SPDX-License-Identifier: Apache-2.0
extension PerformanceTier {
  /// The tier of a machine that was not measured, by what it is made of: the lower of what its memory and its processors allow.
  /// - Parameters:
  ///   - memory: bytes that this process may fill; 0: not known, which counts as `medium`.
  ///   - processors: processors' worth of time that it may use at once.
  ///   - int8: how the processor multiplies 8-bit integers.
  package init(memory: UInt64, processors: Double, int8: Int8Hardware) {
    self = min(Self.tier(memory: memory), Self.tier(processors: processors, int8))
  }

  /// 4 GB and more, 3 GB, less. A machine sold with 4 GB shows up to an eighth less: firmware and kernel keep some.
  static func tier(memory: UInt64) -> PerformanceTier {
    switch memory {
    case 0: .medium
    case 3_500_000_000...: .high
    case 2_500_000_000...: .medium
    default: .low
    }
  }

  /// Dot products, else wide vectors, else as many processors as make up for both.
  private static func tier(processors: Double, _ int8: Int8Hardware) -> PerformanceTier {
    switch (int8.isPresent, int8.isWide, processors) {
    case (true, _, 2...), (_, true, 4...): .high
    case (true, _, 1...), (_, true, 1...), (false, false, 4...): .medium
    default: .low
    }
  }
}
