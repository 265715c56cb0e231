// SPDX-License-Identifier: Apache-2.0
/// The tensors of a file, in the order of the computation.
struct FoundTensors {
  /// The matrices of each layer; in the last group the embedding and, unless tied, the output.
  private(set) var groups: [[QuantizedMatrix]] = []
  /// The output norm, then two for each layer: before attention, before the feed-forward part.
  private(set) var norms: [UnsafePointer<Float>]  // each [width]
  /// Biases of queries, keys and values of each layer; empty where the architecture has none.
  private(set) var biases: [QueryKeyValueBias] = []

  /// - Throws: `GGUFError` where one is missing or has another shape.
  init(_ configuration: ModelConfiguration, _ tensors: inout TensorFinder) throws(GGUFError) {
    let width = configuration.width
    norms = [try tensors.vector("output_norm.weight", count: width)]
    for index in 0..<configuration.layerCount {
      let prefix = "blk.\(index)."
      norms.append(try tensors.vector(prefix + "attn_norm.weight", count: width))
      norms.append(try tensors.vector(prefix + "ffn_norm.weight", count: width))
      var group: [QuantizedMatrix] = []
      for (name, rows, columns) in Self.shapes(configuration) {
        group.append(try tensors.matrix(prefix + name + ".weight", rows: rows, columns: columns))
      }
      groups.append(group)
      if configuration.architecture == .qwen2 {
        biases.append(try QueryKeyValueBias(configuration, prefix: prefix, &tensors))
      }
    }
    var ends = [try tensors.matrix("token_embd.weight", rows: configuration.vocabularySize, columns: width)]
    if tensors.has("output.weight") {
      ends.append(try tensors.matrix("output.weight", rows: configuration.vocabularySize, columns: width))
    }
    groups.append(ends)
  }

  var layersCanBeInterleaved: Bool {
    groups.dropLast().joined().allSatisfy { WeightInterleaving.fits(rows: $0.rows) }
  }

  private static func shapes(_ configuration: ModelConfiguration) -> [(name: String, rows: Int, columns: Int)] {
    let (width, wide) = (configuration.width, configuration.feedForwardWidth)
    let (queries, keys) = (configuration.queryWidth, configuration.keyValueWidth)
    switch configuration.architecture {
    case .llama, .qwen2:
      return [
        ("attn_q", queries, width), ("attn_k", keys, width), ("attn_v", keys, width), ("attn_output", width, queries),
        ("ffn_gate", wide, width), ("ffn_up", wide, width), ("ffn_down", width, wide),
      ]
    case .phi3:
      return [
        ("attn_qkv", queries + 2 * keys, width), ("attn_output", width, queries), ("ffn_up", 2 * wide, width),
        ("ffn_down", width, wide),
      ]
    }
  }
}

/// Biases that a layer adds to its queries, keys and values before the rotary embedding.
struct QueryKeyValueBias {
  let query: UnsafePointer<Float>  // [queries]
  let key: UnsafePointer<Float>  // [keys]
  let value: UnsafePointer<Float>  // [keys]

  init(_ configuration: ModelConfiguration, prefix: String, _ tensors: inout TensorFinder) throws(GGUFError) {
    query = try tensors.vector(prefix + "attn_q.bias", count: configuration.queryWidth)
    key = try tensors.vector(prefix + "attn_k.bias", count: configuration.keyValueWidth)
    value = try tensors.vector(prefix + "attn_v.bias", count: configuration.keyValueWidth)
  }
}
