// SPDX-License-Identifier: Apache-2.0
/// The numbers of a configuration that a pass reads. A trivial type: reading it counts no references.
struct TransformerShape: Equatable {
  let layerCount: Int
  let width: Int
  let feedForwardWidth: Int
  let vocabularySize: Int
  let normEpsilon: Float
  let headCount: Int
  let keyValueHeadCount: Int
  let headSize: Int
  /// Query heads that share a key head.
  let group: Int
  /// Length of a row of queries, keys and values.
  let rowWidth: Int
  /// Positions that a query attends to.
  let window: Int
  /// The scale of attention scores.
  let scale: Float
  /// Dimensions of a head that are rotated.
  let rotating: Int
  let rotatesPairs: Bool
  /// The longest sequence that the first set of divisors serves.
  let shortContext: Int

  init(_ configuration: ModelConfiguration) {
    layerCount = configuration.layerCount
    width = configuration.width
    feedForwardWidth = configuration.feedForwardWidth
    vocabularySize = configuration.vocabularySize
    normEpsilon = configuration.normEpsilon
    headCount = configuration.headCount
    keyValueHeadCount = configuration.keyValueHeadCount
    headSize = configuration.headSize
    group = configuration.headCount / configuration.keyValueHeadCount
    rowWidth = configuration.queryWidth + 2 * configuration.keyValueWidth
    window = configuration.slidingWindow ?? .max
    scale = 1 / Float(configuration.headSize).squareRoot()
    rotating = configuration.rotary.dimensions
    rotatesPairs = configuration.rotary.layout == .pairs
    if case .long(_, _, let original, _) = configuration.rotary.scaling {
      shortContext = original
    } else {
      shortContext = .max
    }
  }

  /// Which set of divisors a sequence of `length` tokens uses.
  func regime(forLength length: Int) -> RotaryEmbedding.Regime { length > shortContext ? .long : .short }
}
