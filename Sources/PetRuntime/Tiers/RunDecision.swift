// SPDX-License-Identifier: Apache-2.0
/// Whether a device can run a model.
public enum RunDecision: Sendable, Equatable {
  case yes
  /// Every reason there is, at least one.
  case no([Reason])

  public enum Reason: Sendable, Equatable, CustomStringConvertible {
    /// Bytes.
    case memory(needed: UInt64, usable: UInt64)
    /// More bytes than all models together may take.
    case budget(needed: UInt64, budget: UInt64)
    /// The processor has none of the instructions that the model requires.
    case int8Hardware(processor: String)

    public var description: String {
      switch self {
      case .memory(let needed, let usable):
        "it needs \(Self.megabytes(needed)) of memory and \(Self.megabytes(usable)) are free; close programs or take a lower quality"
      case .budget(let needed, let budget):
        "it needs \(Self.megabytes(needed)) of memory and the budget is \(Self.megabytes(budget)); raise memory.budget or take a lower quality"
      case .int8Hardware(let processor):
        "it needs 8-bit dot products in hardware (\(Int8Hardware.names)) and \(processor) has none; take another model"
      }
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\(bytes / 1_000_000) MB" }
  }
}
