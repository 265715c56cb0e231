// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import PetLanguage
import Synchronization
import Testing

/// A model and its interleaved file say the same.
@Suite struct InterleavedModelTests {
  private static func interleave(_ input: String, to output: String) throws {
    _ = try InterleavedFileWriter(GGUFFile(path: input))
      .write(to: output, sourceHash: String(repeating: "0", count: 64)) { _ in }
  }

  private struct Answers: Equatable {
    /// After each token of a text.
    var logits: [[Float]]
    /// Of a greedy reply.
    var tokens: [Int32]
    var ownNumbers: [String: Int]
  }

  private static func answers(
    _ path: String, _ layout: WeightLayout, threads: Int = 1
  ) async throws -> Answers {
    let model = try LanguageModel(path: path, .init(threadCount: threads, contextLength: 64, weightLayout: layout))
    // Special tokens are followed by spaces, which Phi-3's tokenizer strips.
    let tokens = try model.tokenizer.encode("<s> Once upon a time there was", specials: .parse)
    let logits = Mutex<[[Float]]>([])
    try await model.eachLogits(tokens) { _, values in logits.withLock { $0.append(Array(values)) } }
    var options = GenerationOptions.greedy(maximumTokens: 12)
    options.stopsAtEnd = false
    let reply = try await model.complete("hello there", options)
    return Answers(logits: logits.withLock { $0 }, tokens: reply.tokens, ownNumbers: model.ownNumbers)
  }

  /// Rows that super-blocks fit.
  @Test(arguments: QuantizationType.allCases)
  func everyType(_ type: QuantizationType) async throws {
    let scratch = try Scratch()
    let (base, plain, interleaved) = (scratch.path + "/base", scratch.path + "/plain", scratch.path + "/interleaved")
    try WideModel.write(to: base)
    _ = try ModelQuantizer.quantize(input: base, output: plain, types: TensorTypeRules(type))
    try Self.interleave(plain, to: interleaved)
    // Sums of unquantized weights differ between the layouts in the last bit: their copies are the ones to compare with.
    let expected = try await Self.answers(plain, type.tensorType.isQuantized ? .rowMajor : .interleaved)
    #expect(expected.logits.count > 5 && expected.tokens.count == 12)
    #expect(try await Self.answers(interleaved, .rowMajor) == expected)
    #expect(try await Self.answers(interleaved, .interleaved, threads: 2) == expected)
  }

  /// Fused and separate matrices, tied and not, long contexts, windows.
  @Test(arguments: ["llama-gqa", "phi3-tied", "phi3-longrope", "phi3-window"])
  func everyShape(_ name: String) async throws {
    let scratch = try Scratch()
    let (plain, interleaved) = (scratch.path + "/plain", scratch.path + "/interleaved")
    let base = Models.fixture("models/\(name)/model.gguf").path
    _ = try ModelQuantizer.quantize(input: base, output: plain, types: TensorTypeRules(.q4_1))
    try Self.interleave(plain, to: interleaved)
    let expected = try await Self.answers(plain, .rowMajor)
    for threads in [1, 3] {
      #expect(try await Self.answers(interleaved, .rowMajor, threads: threads) == expected)
    }
  }

  /// An output whose rows are no whole number of groups stays as it is beside layers that are interleaved.
  @Test func vocabulariesOfAnySize() async throws {
    let scratch = try Scratch()
    let (base, interleaved) = (scratch.path + "/base", scratch.path + "/interleaved")
    try WideModel.write(vocabulary: 319, to: base)
    try Self.interleave(base, to: interleaved)
    let (before, after) = (try GGUFFile(path: base), try GGUFFile(path: interleaved))
    for name in ["token_embd.weight", "output.weight"] {
      let tensors = (try #require(before.tensors[name]), try #require(after.tensors[name]))
      #expect(before.data(of: tensors.0).elementsEqual(after.data(of: tensors.1)))
    }
    let weights = try (TransformerWeights(file: before, layout: .interleaved), TransformerWeights(file: after))
    let rows = try [weights.0, weights.1].map { weights in
      let transformer = try Transformer(weights, threadCount: 2)
      try transformer.forward([1, 2, 318], cache: KVCache(weights.configuration, capacity: 8))
      return Array(transformer.logits)
    }
    #expect(rows[0].count == 319)
    // The output is interleaved here and row-major there: equal but for the last bits.
    #expect(zip(rows[0], rows[1]).allSatisfy { ($0 - $1).magnitude <= 1e-5 * max(1, $0.magnitude) })
  }

  @Test func interleavedFilesAreNotQuantized() throws {
    let scratch = try Scratch()
    let (interleaved, output) = (scratch.path + "/interleaved", scratch.path + "/output")
    try Self.interleave(Models.fixture("models/llama-gqa/model.gguf").path, to: interleaved)
    #expect(throws: GGUFError(path: interleaved, reason: .interleaved)) {
      try ModelQuantizer.quantize(input: interleaved, output: output, types: TensorTypeRules(.q8_0))
    }
    #expect(!FileManager.default.fileExists(atPath: output))
  }
}
