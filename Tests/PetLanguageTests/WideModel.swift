// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// The fixture `llama-gqa` with rows of 256 and 512, which super-blocks fit, of random weights.
enum WideModel {
  static let layers = 9
  private static let (width, inner) = (256, 512)

  static func write(vocabulary: Int = 320, to path: String) throws {
    let base = try GGUFFile(path: Models.fixture("models/llama-gqa/model.gguf").path)
    let changes: [String: UInt32] = [
      "llama.embedding_length": 256, "llama.feed_forward_length": 512, "llama.block_count": UInt32(layers),
      "llama.rope.dimension_count": 64,
    ]
    let metadata = base.metadataKeys.compactMap { key in
      base.metadata[key].map { (key: key, value: changes[key].map(GGUFValue.uint32) ?? $0) }
    }
    var tensors: [(name: String, dimensions: [Int])] = [("token_embd.weight", [width, vocabulary])]
    for layer in 0..<layers {
      for (name, dimensions) in [
        ("attn_norm", [width]), ("attn_q", [width, width]), ("attn_k", [width, 128]), ("attn_v", [width, 128]),
        ("attn_output", [width, width]), ("ffn_norm", [width]), ("ffn_gate", [width, inner]),
        ("ffn_up", [width, inner]), ("ffn_down", [inner, width]),
      ] {
        tensors.append(("blk.\(layer).\(name).weight", dimensions))
      }
    }
    tensors += [("output_norm.weight", [width]), ("output.weight", [width, vocabulary])]
    try write(tensors, metadata: metadata, to: path)
  }

  /// Tensors of random numbers about as large as weights, F32.
  static func write(
    _ tensors: [(name: String, dimensions: [Int])], metadata: [(key: String, value: GGUFValue)], to path: String
  ) throws {
    let writer = try GGUFWriter(
      path: path, metadata: metadata,
      tensors: tensors.map {
        try GGUFTensorDeclaration(name: $0.name, dimensions: $0.dimensions, type: TensorType.f32.kernelType)
      })
    var random = RandomSource(seed: 4)
    for (index, tensor) in tensors.enumerated() {
      let isNorm = tensor.dimensions.count == 1
      let values = (0..<tensor.dimensions.reduce(1, *)).map { _ in
        // Uniform in -0.1 ..< 0.1.
        isNorm ? 1 : Float(random.next() >> 40) / 0x1p24 * 0.2 - 0.1
      }
      try values.withUnsafeBytes { try writer.append($0, toTensor: index) }
    }
    try writer.finish()
  }
}
