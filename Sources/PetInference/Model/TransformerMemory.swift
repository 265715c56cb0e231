// SPDX-License-Identifier: Apache-2.0
/// Memory of running a model, in bytes, estimated from its header without loading it.
package struct TransformerMemory: Sendable, Equatable {
  /// Matrices in the requested layout, and vectors.
  package let weights: Int
  /// Keys and values of one full context.
  package let cache: Int
  /// Buffers of a forward pass, with the scores of attention and the angles of positions.
  package let scratch: Int

  /// - Parameters:
  ///   - tensors: those of the file.
  ///   - contextLength: tokens.
  ///   - batchSize: tokens of a prompt that go through the layers together.
  package init(
    _ configuration: ModelConfiguration, tensors: some Sequence<GGUFTensor>, layout: WeightLayout,
    contextLength: Int, cachePrecision: KVCache.Precision, threadCount: Int, batchSize: Int = 128
  ) {
    weights = Self.weights(tensors, layout)
    let positions = min(contextLength, configuration.contextLength)
    cache = KVLayout.blocks(positions) * KVLayout(configuration, cachePrecision).blockBytes
    let angles = 2 * positions * configuration.rotary.dimensions / 2 * MemoryLayout<Float>.stride
    scratch =
      Self.buffers(configuration, threadCount: threadCount, batchSize: batchSize)
      + Scratch.scoreBytes(configuration, positions: positions, threadCount: threadCount) + angles
  }

  /// Bytes of the buffers of a forward pass.
  package static func buffers(_ configuration: ModelConfiguration, threadCount: Int, batchSize: Int = 128) -> Int {
    Scratch.byteCount(configuration, batchSize: batchSize, threadCount: threadCount)
  }

  /// Bytes of a file's tensors in a layout; row-major where a matrix of a layer cannot be interleaved.
  private static func weights(_ tensors: some Sequence<GGUFTensor>, _ layout: WeightLayout) -> Int {
    var (rowMajor, interleaved) = (0, 0)
    var canInterleave = layout == .interleaved
    for tensor in tensors {
      rowMajor += tensor.bytes.count
      guard tensor.dimensions.count == 2, tensor.dimensions[1] > 0 else {
        interleaved += tensor.bytes.count
        continue
      }
      let rows = tensor.dimensions[1]
      let isOfLayer = tensor.name.hasPrefix("blk.")
      if isOfLayer, !WeightInterleaving.fits(rows: rows) { canInterleave = false }
      interleaved += (WeightInterleaving.paddedRows(rows) * (tensor.bytes.count / rows) + 63) / 64 * 64
    }
    return canInterleave ? interleaved : rowMajor
  }
}
