// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import PetInference
import PetLanguage
import PetTokenizer
import Synchronization
import Testing

@Suite("An adapter that was trained on a part of a vocabulary", .timeLimit(.minutes(5)))
struct VocabularyCutTests {
  /// "he", "hel", "lo", "hello" of bytes, and "wo", which goes.
  private static let merges = [(104, 101), (256, 108), (108, 111), (257, 258), (119, 111)]
  private static let rows = (Array(0..<260) + [318, 319]).map(Int32.init)

  private func logits(_ path: String, _ tokens: [Int32]) async throws -> [[Float]] {
    let rows = Mutex<[[Float]]>([])
    try await model(path).eachLogits(tokens) { _, values in rows.withLock { $0.append(Array(values)) } }
    return rows.withLock { $0 }
  }

  @Test(
    "the tokens that stay are as likely as before, and cut texts as before", arguments: ["qwen2-gqa", "qwen2-tied"])
  func stays(_ name: String) async throws {
    let scratch = try Scratch()
    let base = try scratch.base(name, Self.merges)
    let adapter = try scratch.adapter(Self.rows, of: base)
    let (cut, whole) = (scratch.path + "/cut.gguf", scratch.path + "/whole.gguf")
    _ = try ModelQuantizer.quantize(input: base, output: cut, types: TensorTypeRules(.f32), adapter: adapter)
    let plain = try scratch.adapter(Array(0..<320), of: base)
    _ = try ModelQuantizer.quantize(input: base, output: whole, types: TensorTypeRules(.f32), adapter: plain)

    // One that stays but for its place, one that goes, and the marks.
    let texts = ["hello", " lo hel!", "wow"]
    let (before, after) = (try model(whole).tokenizer, try model(cut).tokenizer)
    for text in texts {
      let (old, new) = (try before.encode(text), try after.encode(text))
      #expect(new.map { Self.rows[Int($0)] } == old || old.contains(260), "\(text): \(old) and \(new)")
      #expect(new.flatMap { bytes(of: $0, after) } == Array(text.utf8))
    }
    let tokens: [Int32] = [260, 259, 32, 119, 111, 10, 261, 104]
    let short = try await logits(cut, tokens)
    let long = try await logits(whole, tokens.map { Self.rows[Int($0)] })
    for (short, long) in zip(short, long) { #expect(short == Self.rows.map { long[Int($0)] }) }
    #expect(short.count == tokens.count)
  }

  @Test(
    "rows that the model has not, or that would leave a half of a token, are refused",
    arguments: [
      [], [3, 2], [0, 320], [-1, 0], Array(0..<256), Array(0..<256) + [257, 318, 319],
    ] as [[Int32]])
  func refused(_ rows: [Int32]) throws {
    let scratch = try Scratch()
    let base = try scratch.base("qwen2-tied", Self.merges)
    let adapter = try scratch.adapter(rows, of: base)
    let output = scratch.path + "/cut.gguf"
    #expect(throws: AdapterError.self) {
      try ModelQuantizer.quantize(input: base, output: output, types: TensorTypeRules(.f32), adapter: adapter)
    }
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test("a model without merged bytes is refused")
  func otherVocabulary() throws {
    let scratch = try Scratch()
    let base = Models.fixture("models/qwen2-tied/model.gguf").path
    let adapter = try scratch.adapter([0, 1, 2], of: base)
    #expect(throws: AdapterError.self) {
      try ModelQuantizer.quantize(
        input: base, output: scratch.path + "/cut.gguf", types: TensorTypeRules(.f32), adapter: adapter)
    }
  }

  private func model(_ path: String) throws -> LanguageModel {
    try LanguageModel(path: path, .init(threadCount: 1, contextLength: 128, cachePrecision: .f32))
  }

  private func bytes(of token: Int32, _ tokenizer: any Tokenizer) -> [UInt8] {
    var bytes: [UInt8] = []
    tokenizer.appendBytes(of: token, to: &bytes)
    return bytes
  }
}

extension Scratch {
  /// A random model whose tokens are the 256 bytes, then `merges` of two tokens before each, then two marks.
  fileprivate func base(_ name: String, _ merges: [(Int, Int)]) throws -> String {
    let file = try GGUFFile(path: Models.fixture("models/\(name)/model.gguf").path)
    var tokens = (0..<256).map { Array(String(ByteLetters.letter(of: UInt8($0))).utf8) }
    for (left, right) in merges { tokens.append(tokens[left] + tokens[right]) }
    while tokens.count < 318 { tokens.append(Array("<|spare\(tokens.count)|>".utf8)) }
    tokens += ["<|im_start|>", "<|im_end|>"].map { Array($0.utf8) }
    let types = tokens.indices.map { Int32($0 < 256 + merges.count ? 1 : 3) }
    let changed: [String: GGUFValue] = [
      "tokenizer.ggml.model": .text("gpt2"), "tokenizer.ggml.tokens": .texts(tokens),
      "tokenizer.ggml.token_type": .int32s(types),
      "tokenizer.ggml.merges": .texts(
        merges.map { tokens[$0.0] + Array(" ".utf8) + tokens[$0.1] }),
      "tokenizer.ggml.eos_token_id": .uint32(319), "tokenizer.ggml.bos_token_id": .uint32(318),
    ]
    var metadata: [(key: String, value: GGUFValue)] = file.metadataKeys.compactMap { key in
      key.hasPrefix("tokenizer.") ? nil : file.metadata[key].map { (key, $0) }
    }
    metadata += changed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    metadata.append(("tokenizer.ggml.pre", .text("qwen2")))
    let tensors = file.tensorNames.compactMap { file.tensors[$0] }
    let writer = try GGUFWriter(
      path: path + "/base.gguf", metadata: metadata,
      tensors: tensors.map { try GGUFTensorDeclaration(name: $0.name, dimensions: $0.dimensions, type: PK_F32) })
    for (index, tensor) in tensors.enumerated() {
      try writer.append(file.data(of: tensor), toTensor: index)
    }
    try writer.finish()
    return path + "/base.gguf"
  }

  /// An adapter that changes one matrix and leaves these rows.
  fileprivate func adapter(_ rows: [Int32], of base: String, target: String = "blk.0.attn_q.weight") throws -> String {
    let matrix = try #require(try GGUFFile(path: base).tensors[target])
    let tensors = [
      try GGUFTensorDeclaration(name: target + ".lora_a", dimensions: [matrix.dimensions[0], 1], type: PK_F32),
      try GGUFTensorDeclaration(name: target + ".lora_b", dimensions: [1, matrix.dimensions[1]], type: PK_F32),
    ]
    let writer = try GGUFWriter(
      path: path + "/adapter.gguf",
      metadata: [
        ("general.architecture", .text("qwen2")), ("general.type", .text("adapter")), ("adapter.type", .text("lora")),
        ("adapter.lora.alpha", .float32(1)), (VocabularyCut.key, .int32s(rows)),
      ], tensors: tensors)
    for (index, tensor) in tensors.enumerated() {
      let values = (0..<tensor.dimensions.reduce(1, *)).map { Float($0 % 7 - 3) / 10 }
      try values.withUnsafeBytes { try writer.append($0, toTensor: index) }
    }
    try writer.finish()
    return path + "/adapter.gguf"
  }
}

/// As in every byte-level vocabulary: printable bytes are their own letter, the others one from U+0100 on.
private enum ByteLetters {
  static func letter(of byte: UInt8) -> Character {
    let isPrintable = { (byte: UInt8) in (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174 }
    let hidden = (0..<byte).count { !isPrintable($0) }
    let scalar = isPrintable(byte) ? UInt32(byte) : 256 + UInt32(hidden)
    return Character(Unicode.Scalar(scalar) ?? "?")
  }
}
