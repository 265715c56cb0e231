// SPDX-License-Identifier: Apache-2.0
/// The shape of a transformer, as its file declares it. Every value is range-checked when it is read.
public struct ModelConfiguration: Sendable, Equatable {
  package enum Architecture: String, Sendable, CaseIterable {
    case llama, phi3, qwen2
  }

  package var architecture: Architecture
  public var name: String?
  package var layerCount: Int
  /// Length of the hidden state.
  package var width: Int
  /// Query heads; a multiple of `keyValueHeadCount`.
  package var headCount: Int
  package var keyValueHeadCount: Int
  /// Length of one head's query, key and value.
  package var headSize: Int
  package var feedForwardWidth: Int
  public var vocabularySize: Int
  /// Tokens of the longest context that the model was trained for.
  public var contextLength: Int
  /// Added to the mean square before the root, so that it never divides by zero.
  package var normEpsilon: Float
  package var rotary: RotaryEmbedding
  /// How many positions a query attends to, its own included; nil: all.
  package var slidingWindow: Int?

  /// Lengths of all query heads, and of all key (or value) heads, together.
  package var queryWidth: Int { headCount * headSize }
  package var keyValueWidth: Int { keyValueHeadCount * headSize }
}
