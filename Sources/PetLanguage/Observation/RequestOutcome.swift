// SPDX-License-Identifier: Apache-2.0
import PetInference

/// How a request ended, as metrics, spans and logs name it: one word, of a handful.
struct RequestOutcome: Sendable, Equatable {
  /// The reason why a reply ended, or "overloaded", "refused" (what was asked cannot be done) or "failed".
  let name: String
  /// Whether there is no reply.
  let isError: Bool

  init(_ reason: GenerationResult.FinishReason) { self.init(name: reason.rawValue, isError: false) }

  init(_ error: any Error) {
    switch error {
    case is CancellationError, InferenceError.cancelled: self.init(.cancelled)
    case LanguageModelError.overloaded: self.init(name: "overloaded", isError: true)
    case is LanguageModelError, InferenceError.contextFull, SamplingError.outOfRange, SamplingError.countOutOfRange:
      self.init(name: "refused", isError: true)
    default: self.init(name: "failed", isError: true)
    }
  }

  private init(name: String, isError: Bool) {
    self.name = name
    self.isError = isError
  }
}
