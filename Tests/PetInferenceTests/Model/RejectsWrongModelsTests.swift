// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// A sound container with a model that cannot be right: each error names the key or tensor.
@Suite struct RejectsWrongModelsTests {
  static let shape: [(String, GGUFBytes.Value)] = [
    ("general.architecture", .string("llama")), ("llama.block_count", .uint32(1)),
    ("llama.context_length", .uint32(64)), ("llama.embedding_length", .uint32(8)),
    ("llama.feed_forward_length", .uint32(16)), ("llama.attention.head_count", .uint32(2)),
    ("llama.attention.head_count_kv", .uint32(1)), ("llama.attention.layer_norm_rms_epsilon", .float(1e-5)),
  ]

  static let tensors: [(String, [UInt64])] = [
    ("token_embd.weight", [8, 10]), ("output_norm.weight", [8]), ("blk.0.attn_norm.weight", [8]),
    ("blk.0.attn_q.weight", [8, 8]), ("blk.0.attn_k.weight", [8, 4]), ("blk.0.attn_v.weight", [8, 4]),
    ("blk.0.attn_output.weight", [8, 8]), ("blk.0.ffn_norm.weight", [8]), ("blk.0.ffn_gate.weight", [8, 16]),
    ("blk.0.ffn_up.weight", [8, 16]), ("blk.0.ffn_down.weight", [16, 8]),
  ]

  private func file(
    keys: [(String, GGUFBytes.Value)] = shape, tensors: [(String, [UInt64])] = tensors
  ) throws -> TemporaryFile {
    var bytes = GGUFBytes()
    bytes.keys = keys
    var offset: UInt64 = 0
    for (name, dimensions) in tensors {
      bytes.tensors.append((name, dimensions, 0, offset))
      offset += (dimensions.reduce(4, *) + 31) / 32 * 32
    }
    bytes.dataBytes = Int(offset)
    return try TemporaryFile(bytes.bytes)
  }

  private func reason(_ file: TemporaryFile) throws -> GGUFError.Reason {
    let error = try #require(throws: GGUFError.self) { _ = try TransformerWeights(file: GGUFFile(path: file.path)) }
    #expect(!error.description.contains("\n"))
    return error.reason
  }

  private func changing(_ key: String, _ value: GGUFBytes.Value) -> [(String, GGUFBytes.Value)] {
    Self.shape.map { $0.0 == key ? (key, value) : $0 }
  }

  @Test func acceptsTheSoundOne() throws {
    let file = try file()
    let configuration = try TransformerWeights(file: GGUFFile(path: file.path)).configuration
    #expect(configuration.headSize == 4)
    #expect(configuration.vocabularySize == 10)
  }

  @Test func architecture() throws {
    #expect(
      try reason(file(keys: changing("general.architecture", .string("mamba"))))
        == .unsupportedArchitecture("mamba", supported: ["llama", "phi3", "qwen2"]))
  }

  // Without its key there are as many key-value heads as heads, which the shapes then contradict.
  @Test(arguments: shape.map(\.0).filter { !$0.hasSuffix("head_count_kv") }) func missingKey(_ key: String) throws {
    let keys = Self.shape.filter { $0.0 != key }
    #expect(try reason(file(keys: keys)) == .missingKey(key))
  }

  /// CVE-2024-12055, -8063: counts of another type.
  @Test(arguments: shape.map(\.0).dropFirst().filter { !$0.hasSuffix("epsilon") }) func keyOfWrongType(_ key: String)
    throws
  {
    #expect(
      try reason(file(keys: changing(key, .string("7")))) == .keyType(key: key, expected: "a whole number from 0"))
  }

  @Test(arguments: [
    ("llama.block_count", 513), ("llama.block_count", 0), ("llama.attention.head_count", 0),
    ("llama.attention.head_count_kv", 0), ("llama.attention.head_count_kv", 3), ("llama.embedding_length", 0),
    ("llama.embedding_length", UInt32.max), ("llama.feed_forward_length", UInt32.max), ("llama.context_length", 0),
  ])
  func valueOutOfRange(_ key: String, _ value: UInt32) throws {
    guard case .keyValue(key, "\(value)", _) = try reason(file(keys: changing(key, .uint32(value)))) else {
      Issue.record("accepted")
      return
    }
  }

  @Test(arguments: tensors.map(\.0)) func missingTensor(_ name: String) throws {
    #expect(try reason(file(tensors: Self.tensors.filter { $0.0 != name })) == .missingTensor(name))
  }

  @Test(arguments: tensors.map(\.0)) func wrongShape(_ name: String) throws {
    let tensors = Self.tensors.map { $0.0 == name ? (name, [$0.1[0] * 2] + $0.1.dropFirst()) : $0 }
    guard case .tensorShape(name, _, _) = try reason(file(tensors: tensors)) else {
      Issue.record("accepted")
      return
    }
  }

  /// A bias that is ignored gives wrong answers in silence.
  @Test func unknownTensor() throws {
    #expect(
      try reason(file(tensors: Self.tensors + [("blk.0.attn_q.bias", [8])])) == .unexpectedTensor("blk.0.attn_q.bias"))
  }

  @Test func unknownScaling() throws {
    let keys = Self.shape + [("llama.rope.scaling.type", .string("yarn"))]
    #expect(
      try reason(file(keys: keys)) == .unsupportedFeature(key: "llama.rope.scaling.type", value: "yarn"))
  }

  /// As llama.cpp reads them: under the old name of the factor, and without the type that newer files have.
  @Test func linearScaling() throws {
    func scaling(_ keys: [(String, GGUFBytes.Value)]) throws -> RotaryEmbedding.Scaling {
      let model = try self.file(keys: Self.shape + keys)
      return try TransformerWeights(file: GGUFFile(path: model.path)).configuration.rotary.scaling
    }
    let (type, factor, old) = ("llama.rope.scaling.type", "llama.rope.scaling.factor", "llama.rope.scale_linear")
    #expect(try scaling([(old, .float(4))]) == .linear(factor: 4))
    #expect(try scaling([(factor, .float(4))]) == .linear(factor: 4))
    #expect(try scaling([(old, .float(2)), (factor, .float(4))]) == .linear(factor: 4))
    #expect(try scaling([(type, .string("linear")), (old, .float(4))]) == .linear(factor: 4))
    for keys in [[(old, .float(0))], [(type, .string("none")), (factor, .float(4))]] as [[(String, GGUFBytes.Value)]] {
      #expect(try scaling(keys) == RotaryEmbedding.Scaling.none)
    }
    #expect(try reason(file(keys: Self.shape + [(type, .string("linear"))])) == .missingKey(factor))
    #expect(
      try reason(file(keys: Self.shape + [(old, .float(-1))]))
        == .keyValue(key: old, value: "-1.0", allowed: "a positive number"))
  }

  @Test(arguments: [("long", "short"), ("short", "long")])
  func oneOfTwoSetsOfDivisors(_ given: String, _ missing: String) throws {
    let tensors = Self.tensors + [("rope_factors_\(given).weight", [2])]
    #expect(try reason(file(tensors: tensors)) == .missingTensor("rope_factors_\(missing).weight"))
  }

  @Test func experts() throws {
    let keys = Self.shape + [("llama.expert_count", .uint32(8))]
    #expect(try reason(file(keys: keys)) == .unsupportedFeature(key: "llama.expert_count", value: "8"))
  }
}
