// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Testing

@Suite struct ModelQuantizerTests {
  private func base(_ name: String) -> String { Models.fixture("models/\(name)/model.gguf").path }

  private let adapter = Models.fixture("adapters/lora.gguf").path

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  @Test(arguments: QuantizationType.allCases)
  func everyTypeLoadsAndTalks(_ type: QuantizationType) async throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.gguf"
    for name in ["llama-gqa", "phi3-tied"] {
      let summary = try ModelQuantizer.quantize(input: base(name), output: path, types: TensorTypeRules(type))
      _ = try ModelQuantizer.quantize(
        input: base(name), output: scratch.path + "/b.gguf", types: TensorTypeRules(type))
      #expect(try bytes(path) == bytes(scratch.path + "/b.gguf"), "a second run gave other bytes")
      let (before, after) = (try GGUFFile(path: base(name)), try GGUFFile(path: path))
      #expect(summary.inputBytes == before.mapping.bytes.count && summary.outputBytes == after.mapping.bytes.count)
      // Rows of 64: no multiple of 256.
      let matrices = after.tensorNames.filter { after.tensors[$0]?.dimensions.count == 2 }
      #expect(summary.fallbacks.map(\.tensor) == (type.fallback == nil ? [] : matrices) && summary.adapted == 0)
      for tensor in after.tensors.values {
        #expect(tensor.type == (tensor.dimensions.count == 1 ? .f32 : (type.fallback ?? type).tensorType))
        #expect(tensor.dimensions == before.tensors[tensor.name]?.dimensions)
      }
      let model = try LanguageModel(path: path, .init(threadCount: 1, contextLength: 128))
      var options = GenerationOptions.greedy(maximumTokens: 20)
      options.stopsAtEnd = false
      let reply = try await model.complete("hello there", options)
      #expect(reply.tokens.count == 20)
      if type == .f32 {
        #expect(try bytes(path) == bytes(base(name)), "nothing had to change")
        #expect(summary.copied == after.tensorNames.count)
      }
    }
  }

  /// What is written is what the reader's dequantization takes for the original, within a step of the grid.
  @Test(arguments: [(QuantizationType.q8_0, 0.005), (.q5_1, 0.04), (.q5_0, 0.07), (.q4_1, 0.07), (.q4_0, 0.13)])
  func weightsStayClose(_ type: QuantizationType, _ bound: Double) throws {
    let scratch = try Scratch()
    let (small, large) = (scratch.path + "/small.gguf", scratch.path + "/large.gguf")
    _ = try ModelQuantizer.quantize(input: base("llama-gqa"), output: small, types: TensorTypeRules(type))
    _ = try ModelQuantizer.quantize(input: small, output: large, types: TensorTypeRules(.f32))
    let (before, after) = (try GGUFFile(path: base("llama-gqa")), try GGUFFile(path: large))
    for name in before.tensorNames {
      let (a, b) = (try floats(name, before), try floats(name, after))
      let largest = a.reduce(0) { max($0, $1.magnitude) }
      let worst = zip(a, b).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(Double(worst) <= bound * Double(largest), "\(name)")
      #expect(before.tensors[name]?.dimensions.count == 1 || worst > 0, "\(name)")
    }
  }

  /// Rows that super-blocks fit, with the reader's dequantization as the judge: no value is a step of the grid or more away,
  /// and the model talks.
  @Test(arguments: [
    (QuantizationTarget.type(.q2_K), 3, 21), (.type(.q3_K), 7, 11), (.type(.q4_K), 15, 14), (.type(.q5_K), 31, 16),
    (.type(.q6_K), 63, 18), (.mix(.q4_K_S), 15, 14), (.mix(.q4_K_M), 15, 15), (.mix(.q5_K_M), 31, 17),
  ])
  func superBlocksStayClose(_ target: QuantizationTarget, _ steps: Float, _ fileType: UInt32) async throws {
    let scratch = try Scratch()
    let (base, small, large) = (scratch.path + "/base", scratch.path + "/small", scratch.path + "/large")
    try WideModel.write(to: base)
    let summary = try ModelQuantizer.quantize(input: base, output: small, types: TensorTypeRules(target))
    #expect(summary.fallbacks == [])
    _ = try ModelQuantizer.quantize(input: small, output: large, types: TensorTypeRules(.f32))
    let (before, after, file) = (try GGUFFile(path: base), try GGUFFile(path: large), try GGUFFile(path: small))
    #expect(file.metadata["general.file_type"] == .uint32(fileType))
    for name in before.tensorNames where before.tensors[name]?.dimensions.count == 2 {
      let (a, b) = (try floats(name, before), try floats(name, after))
      let worst = zip(a, b).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
      #expect(worst > 0 && worst < 0.2 / steps, "\(name): \(worst)")
    }
    switch target {
    case .type(let type): #expect(summary.types.first?.type == type)
    case .mix(let mix):
      #expect(file.tensors["output.weight"]?.type == .q6_K)
      #expect(file.tensors["blk.8.ffn_down.weight"]?.type == (mix == .q4_K_S ? .q4_K : .q6_K))
      #expect(file.tensors["blk.1.ffn_up.weight"]?.type == mix.standard.tensorType)
    }
    let model = try LanguageModel(path: small, .init(threadCount: 1, contextLength: 128))
    var options = GenerationOptions.greedy(maximumTokens: 5)
    options.stopsAtEnd = false
    #expect(try await model.complete("hello there", options).tokens.count == 5)
  }

  /// Tensors of more elements than are in work at once, and of a number that is no multiple of what a thread takes.
  @Test(arguments: [QuantizationType.q4_K, .q5_1, .bf16])
  func threadsChangeNothing(_ type: QuantizationType) throws {
    let scratch = try Scratch()
    let input = scratch.path + "/in.gguf"
    try WideModel.write(
      [("a.weight", [256, 5000]), ("b.weight", [512, 67]), ("c.weight", [256, 3])],
      metadata: [("general.architecture", .string(Array("none".utf8)))], to: input)
    let outputs = try [1, 2, 5].map { threads in
      let path = scratch.path + "/\(threads).gguf"
      _ = try ModelQuantizer.quantize(input: input, output: path, types: TensorTypeRules(type), threadCount: threads)
      return try bytes(path)
    }
    #expect(outputs[0] == outputs[1] && outputs[0] == outputs[2])
  }

  /// Of several weights that cannot be written the first is named, whichever thread comes upon which first.
  @Test func namesTheFirstOfSeveral() throws {
    let scratch = try Scratch()
    let input = scratch.path + "/in.gguf"
    try WideModel.write([("a.weight", [256, 1000])], metadata: [], to: input)
    var data = try bytes(input)
    let start = try #require(try GGUFFile(path: input).tensors["a.weight"]).bytes.lowerBound
    for element in [30_000, 50_001, 200_000] {
      withUnsafeBytes(of: Float.nan) { data.replaceSubrange(start + 4 * element..<start + 4 * element + 4, with: $0) }
    }
    try data.write(to: URL(filePath: input))
    for _ in 0..<10 {
      #expect {
        try ModelQuantizer.quantize(
          input: input, output: scratch.path + "/x", types: TensorTypeRules(.q4_K), threadCount: 3)
      } throws: { error in
        if case .notFinite(_, "a.weight", 30_000, _) = error as? QuantizationError { true } else { false }
      }
    }
    #expect(scratch.names == ["in.gguf"])
  }

  private func floats(_ name: String, _ file: GGUFFile) throws -> [Float] {
    let tensor = try #require(file.tensors[name])
    try #require(tensor.type == .f32)
    return file.data(of: tensor).withMemoryRebound(to: Float.self) { Array($0) }
  }

  @Test func metadataKeepsItsOrderAndOnlyTypesChange() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.gguf"
    _ = try ModelQuantizer.quantize(input: base("phi3-tied"), output: path, types: TensorTypeRules(.q5_0))
    let (before, after) = (try GGUFFile(path: base("phi3-tied")), try GGUFFile(path: path))
    #expect(after.metadataKeys == before.metadataKeys && after.tensorNames == before.tensorNames)
    for key in before.metadataKeys where key != "general.file_type" {
      #expect(after.metadata[key] == before.metadata[key], "\(key)")
    }
    #expect(before.metadata["general.file_type"] == .uint32(0))
    #expect(after.metadata["general.file_type"] == .uint32(8))
    #expect(after.metadata["general.quantization_version"] == .uint32(2))
  }

  @Test func rulesNameTensors() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.gguf"
    let rules = TensorTypeRules(
      .q4_1,
      overrides: [
        .init(pattern: "token_embd.weight", type: .q8_0), .init(pattern: "blk.*.ffn_down.weight", type: .f32),
      ])
    let summary = try ModelQuantizer.quantize(input: base("llama-gqa"), output: path, types: rules)
    let (before, after) = (try GGUFFile(path: base("llama-gqa")), try GGUFFile(path: path))
    for tensor in after.tensors.values {
      let isDown = tensor.name.contains("ffn_down")
      let expected: TensorType =
        tensor.dimensions.count == 1 || isDown ? .f32 : tensor.name == "token_embd.weight" ? .q8_0 : .q4_1
      #expect(tensor.type == expected, "\(tensor.name)")
      if expected == .f32, let old = before.tensors[tensor.name] {
        #expect(after.data(of: tensor).elementsEqual(before.data(of: old)))
      }
    }
    // Norms: 2 per layer and 1; layers: 2.
    #expect(summary.types.first { $0.type == .f32 }?.count == 5 + 2)
    #expect(summary.copied == 7)
    #expect(after.metadata["general.file_type"] == .uint32(3))
  }

  @Test func rowsThatDoNotFitAreReported() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.gguf"
    // Width 48; only rows of the feed-forward width, 64, are whole blocks.
    let summary = try ModelQuantizer.quantize(input: base("phi3-mha"), output: path, types: TensorTypeRules(.q4_0))
    let file = try GGUFFile(path: path)
    let matrices = file.tensorNames.filter { file.tensors[$0]?.dimensions.count == 2 }
    #expect(summary.fallbacks.map(\.tensor) == matrices.filter { !$0.contains("ffn_down") })
    #expect(summary.fallbacks.allSatisfy { $0.refused == .q4_0 && $0.type == .f16 })
    for name in matrices {
      #expect(file.tensors[name]?.type == (name.contains("ffn_down") ? .q4_0 : .f16))
    }
    #expect(file.metadata["general.file_type"] == .uint32(1), "most of it is F16")
    _ = try LanguageModel(path: path, .init(threadCount: 1))
  }

  /// The other side is numpy (Tests/References/make_adapters.py).
  @Test func mergesAnAdapterAsNumpyDoes() async throws {
    let scratch = try Scratch()
    let path = scratch.path + "/a.gguf"
    let summary = try ModelQuantizer.quantize(
      input: base("llama-tied"), output: path, types: TensorTypeRules(.f32), adapter: adapter)
    struct Targets: Decodable {
      let targets: [String: Int]
    }
    let targets = try JSONDecoder().decode(Targets.self, from: bytes(Models.fixture("adapters/targets.json").path))
    #expect(summary.adapted == targets.targets.count && summary.copied == 20 - targets.targets.count)
    let (before, after) = (try GGUFFile(path: base("llama-tied")), try GGUFFile(path: path))
    let names = try LowRankAdapter(path: adapter, base: before).targets
    #expect(Set(names) == Set(targets.targets.keys))
    // The name is the adapter's, and what its makers tell their own programs is kept; how it was stored is not.
    #expect(try after.string("general.name") == "test adapter")
    #expect(try after.integer("maker.version") == 7 && after.metadata["adapter.type"] == nil)
    let expected = try bytes(Models.fixture("adapters/merged.f32").path).withUnsafeBytes { raw in
      (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    var start = 0
    for name in names {
      let values = try floats(name, after)
      let worst = values.indices.reduce(Float(0)) { worst, i in
        let wanted = expected[start + i]
        return max(worst, (values[i] - wanted).magnitude / max(1, wanted.magnitude))
      }
      #expect(worst < 1e-6, "\(name)")
      #expect(try values != floats(name, before))
      start += values.count
    }
    #expect(start == expected.count)
    for name in before.tensorNames where !names.contains(name) {
      #expect(try floats(name, after) == floats(name, before))
    }
    let model = try LanguageModel(path: path, .init(threadCount: 1))
    #expect(try await model.complete("hello", .greedy(maximumTokens: 5)).tokens.count > 0)
  }

  @Test func refusesToReplaceWhatItReads() throws {
    let scratch = try Scratch()
    let (input, link, partial) = (scratch.path + "/in.gguf", scratch.path + "/link", scratch.path + "/.x.gguf.new")
    try FileManager.default.copyItem(atPath: base("llama-tied"), toPath: input)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: input)
    try FileManager.default.copyItem(atPath: base("llama-tied"), toPath: partial)
    let before = try bytes(input)
    for output in [input, link, scratch.path + "/../" + (scratch.path as NSString).lastPathComponent + "/in.gguf"] {
      #expect(throws: QuantizationError.overwritesInput(path: input)) {
        try ModelQuantizer.quantize(input: input, output: output, types: TensorTypeRules(.q8_0))
      }
    }
    #expect(throws: QuantizationError.overwritesInput(path: partial)) {
      try ModelQuantizer.quantize(input: partial, output: scratch.path + "/x.gguf", types: TensorTypeRules(.q8_0))
    }
    #expect(throws: QuantizationError.overwritesInput(path: adapter)) {
      try ModelQuantizer.quantize(
        input: input, output: adapter, types: TensorTypeRules(.q8_0), adapter: adapter)
    }
    #expect(try bytes(input) == before && bytes(partial) == before)
  }

  @Test func refusesRulesForNothing() throws {
    let scratch = try Scratch()
    // The norms are vectors, which no rule can change.
    for pattern in ["blk.7.*", "output_norm.weight", "token_embd"] {
      let rules = TensorTypeRules(.q8_0, overrides: [.init(pattern: pattern, type: .f16)])
      #expect(throws: QuantizationError.unmatchedRule(path: base("llama-tied"), pattern: pattern)) {
        try ModelQuantizer.quantize(input: base("llama-tied"), output: scratch.path + "/x", types: rules)
      }
    }
    #expect(throws: QuantizationError.notAModel(path: adapter, type: "adapter")) {
      try ModelQuantizer.quantize(input: adapter, output: scratch.path + "/x", types: TensorTypeRules(.q8_0))
    }
    #expect(throws: AdapterError.self) {
      try ModelQuantizer.quantize(
        input: base("phi3-tied"), output: scratch.path + "/x", types: TensorTypeRules(.q8_0), adapter: adapter)
    }
    #expect(scratch.names == [])
  }

  /// The weight that cannot be written is named, and nothing is left.
  @Test(arguments: [Float.nan, -Float.infinity, 3e38])
  func namesTheWeightThatCannotBeWritten(_ value: Float) throws {
    let scratch = try Scratch()
    let input = scratch.path + "/in.gguf"
    var data = try bytes(base("llama-tied"))
    let file = try GGUFFile(path: base("llama-tied"))
    let (name, element) = ("blk.1.ffn_up.weight", 70)
    let offset = try #require(file.tensors[name]).bytes.lowerBound + 4 * element
    withUnsafeBytes(of: value) { data.replaceSubrange(offset..<offset + 4, with: $0) }
    try data.write(to: URL(filePath: input))
    #expect {
      try ModelQuantizer.quantize(input: input, output: scratch.path + "/x", types: TensorTypeRules(.q4_1))
    } throws: { error in
      switch error as? QuantizationError {
      case .notFinite(input, name, element, let found): !value.isFinite && found.bitPattern == value.bitPattern
      case .notRepresentable(input, name, element, value, .q4_1): value.isFinite
      default: false
      }
    }
    #expect(scratch.names == ["in.gguf"])
  }

  @Test func progressEndsAtTheTotal() throws {
    let scratch = try Scratch()
    var last: ImportProgress?
    _ = try ModelQuantizer.quantize(
      input: base("llama-gqa"), output: scratch.path + "/a.gguf", types: TensorTypeRules(.q8_0)
    ) { progress in
      #expect(progress.written > last?.written ?? 0 && progress.written <= progress.total)
      last = progress
    }
    #expect(last?.written == last?.total && last != nil)
  }
}
