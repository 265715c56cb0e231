// SPDX-License-Identifier: Apache-2.0
/// Why a request to a model failed; the same for all kinds of models.
public enum ModelError: Error, CustomStringConvertible {
  /// No model has this name.
  case modelNotFound(model: String, known: [String])
  case modelLoadFailed(model: String, underlying: any Error)
  case inferenceFailed(model: String, underlying: any Error)
  /// Bytes: what it needs, the most that could be had for it, and what all models together may take.
  case insufficientMemory(model: String, needed: UInt64, available: UInt64, budget: UInt64)
  /// It exists, but cannot be used now or on this machine.
  case modelNotAvailable(model: String, reason: String)
  case invalidInput(model: String, reason: String)
  case modelNotLoaded(model: String)
  case invalidOutput(model: String, reason: String)

  public var description: String {
    switch self {
    case .modelNotFound(let model, let known):
      "model '\(model)': unknown; "
        + (known.isEmpty ? "none was added" : "known are \(known.sorted().joined(separator: ", "))")
    case .modelLoadFailed(let model, let error):
      "model '\(model)': cannot be loaded: \(Self.mending(error, "check the file: pet models verify"))"
    case .inferenceFailed(let model, let error):
      "model '\(model)': gave no answer: \(Self.mending(error, "try again, or choose another model"))"
    case .insufficientMemory(let model, let needed, let available, let budget):
      "model '\(model)': needs \(Self.megabytes(needed)) of memory, \(Self.megabytes(available)) can be had within the "
        + "budget of \(Self.megabytes(budget)); choose a smaller model, unload another, or raise memory.budget or the limit"
    case .modelNotAvailable(let model, let reason):
      "model '\(model)': not available: \(reason)"
    case .invalidInput(let model, let reason):
      "model '\(model)': input refused: \(reason)"
    case .modelNotLoaded(let model):
      "model '\(model)': not loaded; load it first"
    case .invalidOutput(let model, let reason):
      "model '\(model)': its output makes no sense: \(reason); fetch it again, or choose another"
    }
  }

  /// Errors of this project end with advice after a semicolon; adds some to others.
  private static func mending(_ error: any Error, _ advice: String) -> String {
    let text = "\(error)"
    return text.contains(";") ? text : "\(text); \(advice)"
  }

  private static func megabytes(_ bytes: UInt64) -> String {
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}
