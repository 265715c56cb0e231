// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetInference

/// How likely a token of a reply was where it stands, by what the model makes of the text before it: before temperature, penalties,
/// biases and grammars.
package struct TokenProbability: Sendable, Equatable {
  package struct Choice: Sendable, Equatable {
    package let token: Int32
    /// The natural logarithm of its probability.
    package let logProbability: Float
  }

  package let chosen: Choice
  /// The likeliest, best first; none where a grammar left no choice and ``GenerationOptions/asksAboutForced`` is false.
  package let likeliest: [Choice]
}

/// What is needed of a distribution to tell probabilities later, when its logits may have changed.
struct LogDistribution {
  /// log of the sum of exp of all logits.
  private let total: Float
  let likeliest: [TokenProbability.Choice]

  /// O(vocabulary).
  /// - Parameter logits: [vocabulary]
  init(_ logits: UnsafeBufferPointer<Float>, likeliest count: Int) {
    let peak = logits.max() ?? 0
    // In double precision: a vocabulary of 100,000 small terms.
    let sum = logits.reduce(into: 0.0) { $0 += Double(expf($1 - peak)) }
    let total = peak + Float(log(sum))
    self.total = total
    likeliest = Candidates(likeliest: min(count, logits.count), of: logits).entries
      .map { .init(token: $0.token, logProbability: $0.logit - total) }
      .sorted { $0.logProbability > $1.logProbability }
  }

  func probability(of token: Int32, logit: Float) -> TokenProbability {
    TokenProbability(chosen: .init(token: token, logProbability: logit - total), likeliest: likeliest)
  }
}

extension LanguageModel {
  /// The bytes that a token stands for; for a special token its spelling.
  package func bytes(of token: Int32) -> [UInt8] { tokenizer.bytes(of: token) }

  /// Whether a reply ends with this token.
  package func isEnd(_ token: Int32) -> Bool { endTokens.contains(token) }
}
