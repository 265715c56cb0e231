// SPDX-License-Identifier: Apache-2.0
/// The factors of one matrix: W x becomes W x + scale * B (A x). A plain value; its `AdapterWeights` own the memory.
struct LowRankFactors {
  /// [rank, columns], row-major: few long dot products. For the embedding, whose rows are looked up: [vocabulary, rank],
  /// interleaved, W[t] + scale * B A[t].
  let a: QuantizedMatrix
  /// [rows, rank], interleaved: many short dot products, without sums across lanes.
  let b: QuantizedMatrix
  let scale: Float
  /// Index of the matrix's first row in its stack.
  let firstRow: Int

  var rank: Int { b.columns }
}

/// What an adapter adds to a `MatrixStack`.
struct LowRankStack {
  /// Most matrices of a stack.
  static let parts = 3

  private var first: LowRankFactors?
  private var second: LowRankFactors?
  private var third: LowRankFactors?
  /// Whether it adds nothing.
  private(set) var isEmpty = true

  mutating func set(_ part: Int, _ factors: LowRankFactors) {
    switch part {
    case 0: first = factors
    case 1: second = factors
    default: third = factors
    }
    isEmpty = false
  }

  subscript(part: Int) -> LowRankFactors? {
    switch part {
    case 0: first
    case 1: second
    default: third
    }
  }
}

/// Where in a transformer an adapter applies: the index of a stack of matrices.
struct AdapterSite {
  let index: Int

  /// Stacks of a layer.
  private static let perLayer = 4

  static func queryKeyValue(_ layer: Int) -> AdapterSite { AdapterSite(index: perLayer * layer) }
  static func attentionOutput(_ layer: Int) -> AdapterSite { AdapterSite(index: perLayer * layer + 1) }
  static func gateUp(_ layer: Int) -> AdapterSite { AdapterSite(index: perLayer * layer + 2) }
  static func down(_ layer: Int) -> AdapterSite { AdapterSite(index: perLayer * layer + 3) }
  static func embedding(_ shape: TransformerShape) -> AdapterSite { AdapterSite(index: perLayer * shape.layerCount) }
  static func output(_ shape: TransformerShape) -> AdapterSite { AdapterSite(index: perLayer * shape.layerCount + 1) }

  static func count(_ shape: TransformerShape) -> Int { perLayer * shape.layerCount + 2 }
}
