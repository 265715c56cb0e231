// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// Why a text ends before its end, for people.
enum CutOff {
  /// One line, and what allows more; nil for a text that ends by itself.
  /// - Parameter limit: the most tokens that were asked for: fewer were cut off by the context.
  static func note(_ reason: GenerationResult.FinishReason?, tokens: Int, limit: Int?) -> String? {
    let full =
      "(cut off at \(tokens) tokens: the context is full; --set context=N allows more, as far as the model does)"
    switch reason {
    case .stop, .flag, nil: return nil
    case .cancelled: return "(stopped)"
    case .length where limit.map { tokens < $0 } == true: return full
    case .length: return "(cut off at \(tokens) tokens; --max-tokens allows more)"
    case .loop: return "(cut off: it began to repeat itself)"
    case .context: return full
    case .deadline: return "(cut off: the time is up)"
    }
  }
}
