/// The weights of a transformer, as they lie in its mapped file: nothing is copied but the norms.
public final class TransformerWeights: @unchecked Sendable {  // immutable; the mapped memory is read-only
  public let configuration: ModelConfiguration
  public let file: GGUFFile
  let embedding: QuantizedMatrix  // [vocabulary, width]
  let output: QuantizedMatrix  // [vocabulary, width], the embedding where the two are tied
  let outputNorm: [Float]  // [width]
  let layers: [Layer]

  struct Layer: Sendable {
    let attentionNorm: [Float]  // [width]
    /// Rows of query, key and value heads in this order: one matrix or three. [queries + 2 * keys, width]
    let queryKeyValue: [QuantizedMatrix]
    let attentionOutput: [QuantizedMatrix]  // [width, queries]
    let feedForwardNorm: [Float]  // [width]
    /// Gate, then up: one matrix or two. [2 * feed-forward, width]
    let gateUp: [QuantizedMatrix]
    let down: [QuantizedMatrix]  // [width, feed-forward]
  }

  /// Bytes of all tensors.
  public let byteCount: Int

  /// Finds and checks every tensor that the configuration asks for, and refuses tensors it does not know.
  /// - Throws: `GGUFError` naming the key or tensor.
  public init(file: GGUFFile) throws(GGUFError) {
    let configuration = try ModelConfiguration(file: file)
    var tensors = TensorFinder(file: file)
    let width = configuration.width
    embedding = try tensors.matrix("token_embd.weight", rows: configuration.vocabularySize, columns: width)
    outputNorm = try tensors.vector("output_norm.weight", count: width)
    if file.tensors["output.weight"] != nil {
      output = try tensors.matrix("output.weight", rows: configuration.vocabularySize, columns: width)
    } else {
      output = embedding
    }
    var layers: [Layer] = []
    for index in 0..<configuration.layerCount {
      layers.append(try Layer("blk.\(index).", configuration, &tensors))
    }
    tensors.take(["rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"])
    try tensors.refuseRest()
    self.layers = layers
    self.configuration = configuration
    self.file = file
    byteCount = file.tensors.values.reduce(0) { $0 + $1.bytes.count }
  }
}

extension TransformerWeights.Layer {
  fileprivate init(
    _ prefix: String, _ configuration: ModelConfiguration, _ tensors: inout TensorFinder
  ) throws(GGUFError) {
    let (width, wide) = (configuration.width, configuration.feedForwardWidth)
    let (queries, keys) = (configuration.queryWidth, configuration.keyValueWidth)
    attentionNorm = try tensors.vector(prefix + "attn_norm.weight", count: width)
    feedForwardNorm = try tensors.vector(prefix + "ffn_norm.weight", count: width)
    attentionOutput = [try tensors.matrix(prefix + "attn_output.weight", rows: width, columns: queries)]
    down = [try tensors.matrix(prefix + "ffn_down.weight", rows: width, columns: wide)]
    switch configuration.architecture {
    case .llama:
      queryKeyValue = [
        try tensors.matrix(prefix + "attn_q.weight", rows: queries, columns: width),
        try tensors.matrix(prefix + "attn_k.weight", rows: keys, columns: width),
        try tensors.matrix(prefix + "attn_v.weight", rows: keys, columns: width),
      ]
      gateUp = [
        try tensors.matrix(prefix + "ffn_gate.weight", rows: wide, columns: width),
        try tensors.matrix(prefix + "ffn_up.weight", rows: wide, columns: width),
      ]
    case .phi3:
      queryKeyValue = [try tensors.matrix(prefix + "attn_qkv.weight", rows: queries + 2 * keys, columns: width)]
      gateUp = [try tensors.matrix(prefix + "ffn_up.weight", rows: 2 * wide, columns: width)]
    }
  }
}
