// SPDX-License-Identifier: Apache-2.0
extension PerformanceTier {
  /// The default model, `pet-135m` in Q8_0, by which speeds are judged.
  package static let reference = (bytes: UInt64(145_000_000), parameters: UInt64(135_000_000))

  /// The tier of a machine by what it was measured to do: the lower of what its memory and its speed allow.
  ///
  /// | | writes the reference model at | reads a prompt at |
  /// |---|---|---|
  /// | `high` | 40 tokens a second: several times as fast as people read | 200: what a pet is told before its first reply, some 400 tokens, in two seconds |
  /// | `medium` | 12: as fast as quick readers read | 50: the same in eight seconds |
  /// | `low` | less | less |
  /// - Parameter memory: bytes that this process may fill; 0: not known, which counts as `medium`.
  package init(memory: UInt64, speed: MachineSpeed) {
    self = min(Self.tier(memory: memory), Self.tier(speed))
  }

  private static func tier(_ speed: MachineSpeed) -> PerformanceTier {
    let writing = speed.writing(bytes: reference.bytes, parameters: reference.parameters)
    switch (writing, speed.reading(parameters: reference.parameters)) {
    case (40..., 200...): return .high
    case (12..., 50...): return .medium
    default: return .low
    }
  }
}
