// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// How one tensor is converted: its source, the order of its rows, and its type in the output.
struct PlannedTensor {
  enum Source {
    case file(WeightFolder.Entry, rows: RowOrder)
    /// Values computed from the configuration.
    case values([Float])
  }

  let source: Source
  let declaration: GGUFTensorDeclaration
}

/// The order in which rows of a matrix are written.
enum RowOrder: Equatable {
  case asStored
  /// Hugging Face rotates dimension i of a head with i + size / 2, GGUF `llama` files 2i with 2i + 1: row 2i + k of
  /// each head is its row i + k * size / 2.
  case rotaryPairs(headSize: Int)

  func source(of row: Int) -> Int {
    switch self {
    case .asStored: row
    case .rotaryPairs(let size):
      row / size * size + (row % size) / 2 + (row % 2) * (size / 2)
    }
  }
}

/// The types of the tensors in the output.
package enum WeightPrecision: String, CaseIterable, Sendable {
  case f32, f16, bf16
  /// As stored.
  case keep

  /// The type of a matrix that is stored as `type`.
  func type(for type: SafetensorsType) -> pk_type {
    switch (self, type) {
    case (.f32, _), (.keep, .f32): PK_F32
    case (.f16, _), (.keep, .f16): PK_F16
    case (.bf16, _), (.keep, .bf16): PK_BF16
    }
  }
}

/// All tensors of the output, in its order: embedding, layers, output.
struct TensorPlan {
  private(set) var tensors: [PlannedTensor] = []
  private let weights: WeightFolder
  private let precision: WeightPrecision
  private var used: Set<String> = []

  /// The files that tensors are read from.
  var paths: [String] { Set(weights.entries.values.map(\.file.path)).sorted() }

  /// Matches what the folder has with what the architecture needs: all of it, in the right shape, and nothing else.
  ///
  /// - Throws: `ImportError`, `GGUFWriteError`
  init(_ shape: HuggingFaceConfiguration, _ weights: WeightFolder, precision: WeightPrecision) throws {
    self.weights = weights
    self.precision = precision
    let (width, inner) = (shape.width, shape.feedForwardWidth)
    let queries = shape.headCount * shape.headSize
    let keys = shape.keyValueHeadCount * shape.headSize

    try add("model.embed_tokens.weight", [shape.vocabularySize, width], as: "token_embd.weight")
    switch shape.ropeScaling {
    case .none, .linear: break
    case .factors(let factors): try add(factors, as: "rope_freqs.weight")
    case .long(let short, let long, _, _):
      try add(long, as: "rope_factors_long.weight")
      try add(short, as: "rope_factors_short.weight")
    }
    for layer in 0..<shape.layerCount {
      let (from, to) = ("model.layers.\(layer).", "blk.\(layer).")
      try add(from + "input_layernorm.weight", [width], as: to + "attn_norm.weight")
      switch shape.architecture {
      case .llama:
        let halves = RowOrder.rotaryPairs(headSize: shape.headSize)
        try add(from + "self_attn.q_proj.weight", [queries, width], as: to + "attn_q.weight", rows: halves)
        try add(from + "self_attn.k_proj.weight", [keys, width], as: to + "attn_k.weight", rows: halves)
        try add(from + "self_attn.v_proj.weight", [keys, width], as: to + "attn_v.weight")
      case .phi3:
        try add(from + "self_attn.qkv_proj.weight", [queries + 2 * keys, width], as: to + "attn_qkv.weight")
      }
      try add(from + "self_attn.o_proj.weight", [width, queries], as: to + "attn_output.weight")
      try add(from + "post_attention_layernorm.weight", [width], as: to + "ffn_norm.weight")
      switch shape.architecture {
      case .llama:
        try add(from + "mlp.gate_proj.weight", [inner, width], as: to + "ffn_gate.weight")
        try add(from + "mlp.up_proj.weight", [inner, width], as: to + "ffn_up.weight")
      case .phi3:
        try add(from + "mlp.gate_up_proj.weight", [2 * inner, width], as: to + "ffn_up.weight")
      }
      try add(from + "mlp.down_proj.weight", [width, inner], as: to + "ffn_down.weight")
      // Old checkpoints carry the frequencies, which follow from the configuration.
      used.insert(from + "self_attn.rotary_emb.inv_freq")
    }
    try add("model.norm.weight", [width], as: "output_norm.weight")
    if shape.tiesEmbeddings {
      // A copy of the embedding, which transformers ignores as well.
      used.insert("lm_head.weight")
    } else {
      try add("lm_head.weight", [shape.vocabularySize, width], as: "output.weight")
    }
    let unknown = weights.entries.keys.filter { !used.contains($0) }.min()
    if let unknown, let entry = weights.entries[unknown] {
      throw ImportError.unknownTensor(
        path: entry.file.path, tensor: unknown, architecture: shape.architecture.rawValue)
    }
  }

  private mutating func add(
    _ name: String, _ shape: [Int], as target: String, rows: RowOrder = .asStored
  ) throws {
    guard let entry = weights.entries[name] else {
      throw ImportError.missingTensor(folder: weights.folder, tensor: name)
    }
    guard entry.tensor.shape == shape else {
      throw ImportError.wrongShape(
        path: entry.file.path, tensor: name, shape: entry.tensor.shape, expected: shape)
    }
    used.insert(name)
    // Norms are small and multiply everything: always F32.
    let type = shape.count == 1 ? PK_F32 : precision.type(for: entry.tensor.type)
    let declaration = try GGUFTensorDeclaration(name: target, dimensions: shape.reversed(), type: type)
    tensors.append(PlannedTensor(source: .file(entry, rows: rows), declaration: declaration))
  }

  private mutating func add(_ values: [Float], as target: String) throws {
    let declaration = try GGUFTensorDeclaration(name: target, dimensions: [values.count], type: PK_F32)
    tensors.append(PlannedTensor(source: .values(values), declaration: declaration))
  }
}
