// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetInference

/// An adapter of random factors for the matrices of a model.
struct RandomAdapter {
  var rank = 4
  var type = PK_F32
  var seed: UInt64 = 1
  /// Largest magnitude of an element of either factor.
  var size: Float = 0.1
  var alpha: Float = 8
  /// Parts of the names of the matrices; empty: all.
  var targets: [String] = []

  func write(for base: GGUFFile, to path: String) throws {
    let names = base.tensorNames.filter { name in
      base.tensors[name]?.dimensions.count == 2 && (targets.isEmpty || targets.contains { name.contains($0) })
    }
    var tensors: [GGUFTensorDeclaration] = []
    for name in names {
      let dimensions = base.tensors[name]?.dimensions ?? []
      let isEmbedding = name == "token_embd.weight"
      let a = isEmbedding ? [rank, dimensions[1]] : [dimensions[0], rank]
      let b = isEmbedding ? [rank, dimensions[0]] : [rank, dimensions[1]]
      tensors.append(try GGUFTensorDeclaration(name: name + ".lora_a", dimensions: a, type: type))
      tensors.append(try GGUFTensorDeclaration(name: name + ".lora_b", dimensions: b, type: type))
    }
    let writer = try GGUFWriter(
      path: path,
      metadata: [
        ("general.architecture", .text(try base.require("general.architecture", base.architecture()))),
        ("general.type", .text("adapter")), ("adapter.type", .text("lora")), ("adapter.lora.alpha", .float32(alpha)),
      ], tensors: tensors)
    var random = RandomSource(seed: seed)
    for (index, tensor) in tensors.enumerated() {
      let values = (0..<tensor.dimensions.reduce(1, *)).map { _ in Float.random(in: -size...size, using: &random) }
      try bytes(values).withUnsafeBytes { try writer.append($0, toTensor: index) }
    }
    try writer.finish()
  }

  private func bytes(_ values: [Float]) -> [UInt8] {
    switch type {
    case PK_F16: values.map { Float16($0) }.withUnsafeBytes(Array.init)
    case PK_BF16: values.map { UInt16($0.bitPattern >> 16) }.withUnsafeBytes(Array.init)
    default: values.withUnsafeBytes(Array.init)
    }
  }

  /// Writes it and loads it.
  func load(for weights: TransformerWeights) throws -> AdapterWeights {
    let scratch = try ScratchFolder()
    let path = scratch.path + "/adapter.gguf"
    try write(for: weights.file, to: path)
    return try AdapterWeights(path: path, for: weights)
  }
}
