// SPDX-License-Identifier: Apache-2.0
/// The shape of a transformer, as its file declares it. Every value is range-checked when it is read.
public struct ModelConfiguration: Sendable, Equatable {
  public enum Architecture: String, Sendable, CaseIterable {
    case llama, phi3, qwen2
  }

  public var architecture: Architecture
  public var name: String?
  public var layerCount: Int
  /// Length of the hidden state.
  public var width: Int
  /// Query heads; a multiple of `keyValueHeadCount`.
  public var headCount: Int
  public var keyValueHeadCount: Int
  /// Length of one head's query, key and value.
  public var headSize: Int
  public var feedForwardWidth: Int
  public var vocabularySize: Int
  /// Positions the model was trained for.
  public var contextLength: Int
  /// Added to the mean square before the root, so that it never divides by zero.
  public var normEpsilon: Float
  public var rotary: RotaryEmbedding
  /// How many positions a query sees, its own included; nil: all.
  public var slidingWindow: Int?

  /// Lengths of all query heads, and of all key (or value) heads, together.
  public var queryWidth: Int { headCount * headSize }
  public var keyValueWidth: Int { keyValueHeadCount * headSize }
}
