// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetInference
import Testing

/// Adapters that do not belong to the model, or are damaged, are refused by name before anything is written.
@Suite struct LowRankAdapterTests {
  private struct Factor {
    var name: String
    var dimensions: [Int]
    var value: Float = 0.5
  }

  private static let keys: [(key: String, value: GGUFValue)] = [
    ("general.architecture", .text("llama")), ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
    ("adapter.lora.alpha", .float32(8)),
  ]

  /// The matrix that most adapters below are for: width 32, 32 rows.
  private static let query = "blk.0.attn_q.weight"
  private static let factors = [
    Factor(name: query + ".lora_a", dimensions: [32, 4]), Factor(name: query + ".lora_b", dimensions: [4, 32]),
  ]

  private func write(
    _ scratch: ScratchFolder, keys: [(key: String, value: GGUFValue)], factors: [Factor]
  ) throws -> String {
    let path = scratch.path + "/lora.gguf"
    let tensors = try factors.map {
      try GGUFTensorDeclaration(name: $0.name, dimensions: $0.dimensions, type: PK_F32)
    }
    let writer = try GGUFWriter(path: path, metadata: keys, tensors: tensors)
    for (index, factor) in factors.enumerated() {
      let values = [Float](repeating: factor.value, count: factor.dimensions.reduce(1, *))
      try values.withUnsafeBytes { try writer.append($0, toTensor: index) }
    }
    try writer.finish()
    return path
  }

  private func reason(
    keys: [(key: String, value: GGUFValue)] = keys, factors: [Factor] = factors
  ) throws -> AdapterError.Reason? {
    let scratch = try ScratchFolder()
    let path = try write(scratch, keys: keys, factors: factors)
    let base = try GGUFFile(path: SmallModels.folder("llama-tied") + "/model.gguf")
    do {
      let adapter = try LowRankAdapter(path: path, base: base)
      for target in adapter.targets {
        var values = [Float](repeating: 0, count: try #require(base.tensors[target]).dimensions.reduce(1, *))
        let delta = try #require(try adapter.delta(of: target))
        try values.withUnsafeMutableBufferPointer { try delta.add(to: $0, from: 0) }
      }
      return nil
    } catch let error as AdapterError {
      #expect(error.path == path && error.description.hasPrefix(path + ": ") && error.description.contains("; "))
      return error.reason
    }
  }

  private func keys(_ key: String, _ value: GGUFValue?) -> [(key: String, value: GGUFValue)] {
    Self.keys.filter { $0.key != key } + (value.map { [(key, $0)] } ?? [])
  }

  @Test func acceptsASoundOne() throws {
    #expect(try reason() == nil)
    #expect(try reason(keys: keys("adapter.lora.alpha", .float64(8))) == nil)
  }

  @Test func refusesWhatIsNoAdapter() throws {
    #expect(try reason(keys: keys("general.type", .text("model"))) == .notAnAdapter(type: "model"))
    #expect(try reason(keys: keys("general.type", nil)) == .notAnAdapter(type: nil))
    #expect(try reason(keys: keys("adapter.type", .text("control_vector"))) == .unsupportedKind("control_vector"))
    let activated = Self.keys + [("adapter.alora.invocation_tokens", .int32s([1]))]
    #expect(try reason(keys: activated) == .unsupportedKind("alora"))
    #expect(try reason(factors: []) == .noTensors)
  }

  @Test func refusesAnotherArchitecture() throws {
    #expect(
      try reason(keys: keys("general.architecture", .text("phi3"))) == .wrongArchitecture("phi3", expected: "llama"))
    #expect(try reason(keys: keys("general.architecture", nil)) == .wrongArchitecture(nil, expected: "llama"))
  }

  @Test func refusesAlphasThatScaleNothing() throws {
    for value in [GGUFValue.float32(.nan), .float32(.infinity), .float32(0), .float64(1e300), .uint32(8), .text("8")] {
      guard case .invalidAlpha = try reason(keys: keys("adapter.lora.alpha", value)) else {
        Issue.record("accepted alpha \(value)")
        continue
      }
    }
    #expect(try reason(keys: keys("adapter.lora.alpha", nil)) == .invalidAlpha(nil))
  }

  @Test func refusesTensorsThatDoNotFit() throws {
    let (a, b) = (Self.query + ".lora_a", Self.query + ".lora_b")
    func found(_ first: [Int], _ second: [Int]) throws -> AdapterError.Reason? {
      try reason(factors: [Factor(name: a, dimensions: first), Factor(name: b, dimensions: second)])
    }
    #expect(try found([16, 4], [4, 32]) == .wrongShape(tensor: a, dimensions: [16, 4], expected: [32, 0]))
    #expect(try found([32, 4], [4, 16]) == .wrongShape(tensor: b, dimensions: [4, 16], expected: [0, 32]))
    #expect(try found([32, 4, 2], [4, 32]) == .wrongShape(tensor: a, dimensions: [32, 4, 2], expected: [32, 0]))
    #expect(try found([32, 4], [5, 32]) == .rankMismatch(target: Self.query, a: 4, b: 5))
    #expect(try found([32, 1025], [1025, 32]) == .rank(tensor: a, rank: 1025, limit: 1024))
    #expect(try found([32, 1024], [1024, 32]) == nil)
    #expect(try found([32], [1, 32]) == nil)  // rank 1, its dimension of 1 left out
    #expect(try reason(factors: [Self.factors[0]]) == .missingFactor(tensor: b))
    #expect(try reason(factors: [Self.factors[1]]) == .missingFactor(tensor: a))
    for name in ["blk.0.attn_q.weight", ".lora_a", "x.lora_c"] {
      #expect(try reason(factors: [Factor(name: name, dimensions: [32, 4])]) == .unexpectedTensor(name))
    }
    let stranger = "blk.9.attn_q.weight"
    #expect(
      try reason(factors: [Factor(name: stranger + ".lora_a", dimensions: [32, 4])])
        == .unknownTarget(tensor: stranger + ".lora_a", target: stranger))
    let norm = "blk.0.attn_norm.weight"
    #expect(
      try reason(factors: [Factor(name: norm + ".lora_b", dimensions: [4, 1])])
        == .targetNotMatrix(target: norm, dimensions: [32]))
  }

  /// llama.cpp has the factors of the embedding the other way round.
  @Test func theEmbeddingIsTurned() throws {
    let name = "token_embd.weight"
    let turned = [
      Factor(name: name + ".lora_a", dimensions: [4, 320]), Factor(name: name + ".lora_b", dimensions: [4, 32]),
    ]
    #expect(try reason(factors: turned) == nil)
    let straight = [
      Factor(name: name + ".lora_a", dimensions: [32, 4]), Factor(name: name + ".lora_b", dimensions: [4, 320]),
    ]
    #expect(
      try reason(factors: straight)
        == .wrongShape(tensor: name + ".lora_a", dimensions: [32, 4], expected: [0, 320]))
  }

  @Test func refusesValuesThatAreNotFinite() throws {
    var factors = Self.factors
    factors[0].value = .nan
    #expect(try reason(factors: factors) == .notFinite(tensor: Self.query + ".lora_a", element: 0))
    factors[0].value = 1
    factors[1].value = -.infinity
    #expect(try reason(factors: factors) == .notFinite(tensor: Self.query + ".lora_b", element: 0))
  }

  /// A rank of 0 cannot be written; the reader refuses it as it does every dimension of 0.
  @Test func refusesRankZero() throws {
    var file = GGUFBytes()
    file.keys = [
      ("general.architecture", .string("llama")), ("general.type", .string("adapter")),
      ("adapter.type", .string("lora")),
      ("adapter.lora.alpha", .float(8)),
    ]
    file.tensors = [
      (Self.query + ".lora_a", [32, 0], 0, 0), (Self.query + ".lora_b", [0, 32], 0, 0),
    ]
    let path = try TemporaryFile(file.bytes)
    let base = try GGUFFile(path: SmallModels.folder("llama-tied") + "/model.gguf")
    #expect {
      _ = try LowRankAdapter(path: path.path, base: base)
    } throws: { error in
      (error as? GGUFError)?.reason == .tensorDimensions(tensor: Self.query + ".lora_a", dimensions: [32, 0])
    }
  }

  /// Pieces of any size, cut anywhere, give the same bits.
  @Test func piecesDoNotChangeTheSum() throws {
    let base = try GGUFFile(path: SmallModels.folder("llama-tied") + "/model.gguf")
    let adapter = try LowRankAdapter(path: Fixtures.path("adapters/lora.gguf"), base: base)
    let delta = try #require(try adapter.delta(of: "blk.1.ffn_down.weight"))
    func added(_ piece: Int) throws -> [Float] {
      var values = (0..<2048).map { Float($0) * 0.001 - 1 }
      for start in stride(from: 0, to: values.count, by: piece) {
        let end = min(values.count, start + piece)
        try values.withUnsafeMutableBufferPointer {
          try delta.add(to: UnsafeMutableBufferPointer(rebasing: $0[start..<end]), from: start)
        }
      }
      return values
    }
    let whole = try added(2048)
    for piece in [1, 7, 31, 64, 100, 1000] { #expect(try added(piece) == whole) }
    #expect(whole[5] != 5 * 0.001 - 1)
  }
}
