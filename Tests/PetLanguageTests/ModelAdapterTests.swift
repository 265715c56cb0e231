// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Synchronization
import Testing

@Suite("Adapters beside a loaded model", .timeLimit(.minutes(5)))
struct ModelAdapterTests {
  private func path(_ name: String) -> String { Models.fixture("models/\(name)/model.gguf").path }

  private func load(_ path: String) throws -> LanguageModel {
    try LanguageModel(path: path, .init(threadCount: 1, contextLength: 512, cachePrecision: .f32))
  }

  private func logits(_ model: LanguageModel, _ tokens: [Int32], _ adapter: ModelAdapter? = nil) async throws
    -> [[Float]]
  {
    let rows = Mutex<[[Float]]>([])
    try await model.eachLogits(tokens, adapter: adapter) { _, values in rows.withLock { $0.append(Array(values)) } }
    return rows.withLock { $0 }
  }

  private func difference(_ a: [[Float]], _ b: [[Float]]) -> Float {
    zip(a.joined(), b.joined()).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
  }

  /// Factors of all types, ranks 1 to 32, the embedding tied and not. The first has one of Q8_0, which is rounded to F16 here.
  @Test(
    "what an adapter gives is what merging it gives",
    arguments: [
      ("llama-tied", "lora", 0.1), ("llama-gqa", "live/llama-all", 2e-3),
      ("llama-gqa", "live/llama-feed-forward", 2e-3), ("phi3-gqa-partial", "live/phi3-all", 2e-3),
    ] as [(String, String, Float)])
  func merged(_ base: String, _ name: String, _ bound: Float) async throws {
    let scratch = try Scratch()
    let file = Models.fixture("adapters/\(name).gguf").path
    let merged = scratch.path + "/merged.gguf"
    _ = try ModelQuantizer.quantize(
      input: path(base), output: merged, types: TensorTypeRules(.f32), adapter: file)
    let model = try load(path(base))
    let adapter = try model.loadAdapter(path: file)
    let tokens = (0..<60).map { Int32($0 * 37 % 300) }
    let (live, expected) = (try await logits(model, tokens, adapter), try await logits(load(merged), tokens))
    #expect(live.count == 60)
    #expect(difference(live, expected) < bound)
    #expect(try await difference(live, logits(model, tokens)) > 1, "it changes something")
  }

  @Test("with a base in F16 as well")
  func half() async throws {
    let scratch = try Scratch()
    let (base, merged) = (scratch.path + "/base.gguf", scratch.path + "/merged.gguf")
    let file = Models.fixture("adapters/live/llama-all.gguf").path
    _ = try ModelQuantizer.quantize(input: path("llama-gqa"), output: base, types: TensorTypeRules(.f16))
    _ = try ModelQuantizer.quantize(input: base, output: merged, types: TensorTypeRules(.f32), adapter: file)
    let model = try load(base)
    let tokens = (0..<60).map { Int32($0 * 37 % 300) }
    let live = try await logits(model, tokens, model.loadAdapter(path: file))
    #expect(try await difference(live, logits(load(merged), tokens)) < 2e-3)
  }

  @Test("conversations with adapters and without are what they are alone")
  func together() async throws {
    let model = try LanguageModel(path: path("llama-gqa"), .init(threadCount: 2, contextLength: 512))
    let adapters =
      [nil]
      + (try ["all", "attention", "feed-forward"].map {
        try model.loadAdapter(path: Models.fixture("adapters/live/llama-\($0).gguf").path)
      })
    func reply(_ number: Int) async throws -> [Int32] {
      var options = GenerationOptions.greedy(maximumTokens: 30)
      options.stopsAtEnd = false
      let text = String(repeating: "word ", count: 3 + number)
      return try await model.complete(text, options, adapter: adapters[number % 4]).tokens
    }
    var alone: [[Int32]] = []
    for number in 0..<12 { alone.append(try await reply(number)) }
    let together = try await withThrowingTaskGroup(of: (Int, [Int32]).self) { group in
      for number in 0..<12 { group.addTask { (number, try await reply(number)) } }
      return try await group.reduce(into: [Int: [Int32]]()) { $0[$1.0] = $1.1 }
    }
    for number in 0..<12 { #expect(together[number] == alone[number], "\(number)") }
  }

  @Test("a session keeps its adapter over its turns, and a resumed one may have another")
  func sessions() async throws {
    let model = try Models.small(contextLength: 512)
    let scratch = try Scratch()
    let merged = scratch.path + "/merged.gguf"
    let file = try Self.adapter(for: path("phi3-mha"), in: scratch.path)
    _ = try ModelQuantizer.quantize(
      input: path("phi3-mha"), output: merged, types: TensorTypeRules(.f32), adapter: file)
    let options = GenerationOptions.greedy(maximumTokens: 12)
    let adapter = try model.loadAdapter(path: file)
    #expect(
      adapter.byteCount > 0 && adapter.path == file && adapter.name == "test" && adapter.ownNumbers == ["own.x": 7])
    let session = try LanguageModelSession(model: model, instructions: "Be kind.", adapter: adapter)
    try await session.prewarm()
    let other = try LanguageModelSession(
      model: LanguageModel(path: merged, .init(threadCount: 1, contextLength: 512)), instructions: "Be kind.")
    var cached = 0
    for turn in 0..<3 {
      let reply = try await session.respond(to: "And number \(turn)?", options: options)
      #expect(try await other.respond(to: "And number \(turn)?", options: options).tokens == reply.tokens)
      cached += reply.usage.cachedTokens
    }
    #expect(cached > 0)
    let plain = try LanguageModelSession(model: model, resuming: await session.state())
    let again = try LanguageModelSession(model: model, resuming: await session.state(), adapter: adapter)
    let replies = try await [session, plain, again].asyncMap {
      try await $0.respond(to: "Last?", options: options).tokens
    }
    #expect(replies[0] == replies[2] && replies[0] != replies[1])
  }

  /// One of random factors that changes much.
  private static func adapter(for base: String, in folder: String) throws -> String {
    let (path, file) = (folder + "/lora.gguf", try GGUFFile(path: base))
    let name = "blk.0.attn_qkv.weight"
    let dimensions = try #require(file.tensors[name]).dimensions
    let tensors = try [("a", [dimensions[0], 4]), ("b", [4, dimensions[1]])].map {
      try GGUFTensorDeclaration(
        name: "\(name).lora_\($0.0)", dimensions: $0.1, type: TensorType.f32.kernelType)
    }
    let writer = try GGUFWriter(
      path: path,
      metadata: [
        ("general.architecture", .text("phi3")), ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
        ("adapter.lora.alpha", .float32(8)), ("general.name", .text("test")), ("own.x", .uint32(7)),
      ], tensors: tensors)
    var random = RandomSource(seed: 4)
    for (index, tensor) in tensors.enumerated() {
      let values = (0..<tensor.dimensions.reduce(1, *)).map { _ in Float.random(in: -0.4...0.4, using: &random) }
      try values.withUnsafeBytes { try writer.append($0, toTensor: index) }
    }
    try writer.finish()
    return path
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async throws -> [T] {
    var results: [T] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
