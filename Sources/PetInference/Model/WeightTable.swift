// SPDX-License-Identifier: Apache-2.0
/// The matrices of a transformer in one layout, by their role. A trivial type: reading it counts no references; its owner
/// deallocates it.
struct WeightTable {
  let layers: UnsafeBufferPointer<Layer>
  let embedding: QuantizedMatrix  // [vocabulary, width]
  let output: MatrixStack  // [vocabulary, width]

  /// One block of the transformer.
  struct Layer {
    let attentionNorm: UnsafePointer<Float>  // [width]
    /// Rows of query, key and value heads in this order: one matrix or three. [queries + 2 * keys, width]
    let queryKeyValue: MatrixStack
    let queryKeyValueBias: QueryKeyValueBias?
    let attentionOutput: MatrixStack  // [width, queries]
    let feedForwardNorm: UnsafePointer<Float>  // [width]
    /// Gate, then up: one matrix or two. [2 * feed-forward, width]
    let gateUp: MatrixStack
    let down: MatrixStack  // [width, feed-forward]
  }

  /// - Parameters:
  ///   - groups: the matrices, as in `FoundTensors`.
  ///   - found: the vectors.
  init(_ groups: [[QuantizedMatrix]], _ architecture: ModelConfiguration.Architecture, vectors found: FoundTensors) {
    let norms = found.norms
    let blocks = groups.dropLast()
    let layers = UnsafeMutableBufferPointer<Layer>.allocate(capacity: blocks.count)
    for (index, block) in blocks.enumerated() {
      let isFused = architecture == .phi3
      layers.initializeElement(
        at: index,
        to: Layer(
          attentionNorm: norms[1 + 2 * index],
          queryKeyValue: isFused ? MatrixStack(block[0]) : MatrixStack(block[0], block[1], block[2]),
          queryKeyValueBias: found.biases.isEmpty ? nil : found.biases[index],
          attentionOutput: MatrixStack(block[isFused ? 1 : 3]), feedForwardNorm: norms[2 + 2 * index],
          gateUp: isFused ? MatrixStack(block[2]) : MatrixStack(block[4], block[5]),
          down: MatrixStack(block[block.count - 1])))
    }
    self.layers = UnsafeBufferPointer(layers)
    let ends = groups[groups.count - 1]
    embedding = ends[0]
    output = MatrixStack(ends[ends.count - 1])
  }

  func deallocate() { layers.deallocate() }
}
