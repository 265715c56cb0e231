// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

import PetInference

@Suite struct HuggingFaceImporterTests {
  private func convert(_ folder: String, to path: String, _ precision: WeightPrecision = .f32) throws {
    _ = try HuggingFaceImporter(
      folder: folder, vocabulary: plainVocabulary(), name: "x", precision: precision
    ).write(to: path)
  }

  private func error(_ folder: String, _ precision: WeightPrecision = .f32) throws -> ImportError? {
    let scratch = try ScratchFolder()
    do {
      try convert(folder, to: scratch.path + "/out.gguf", precision)
      return nil
    } catch let error as ImportError {
      #expect(scratch.names == [], "an error left a file")
      return error
    }
  }

  /// The other side is written by the `gguf` package (Tests/References/make_small_models.py).
  @Test(arguments: SmallModels.names)
  func equalsTheReferenceFile(_ name: String) throws {
    let scratch = try ScratchFolder()
    let folder = SmallModels.folder(name)
    try convert(folder, to: scratch.path + "/a.gguf")
    try convert(folder, to: scratch.path + "/b.gguf")
    #expect(try bytes(of: scratch.path + "/a.gguf") == bytes(of: scratch.path + "/b.gguf"))
    let (ours, theirs) = (try GGUFFile(path: scratch.path + "/a.gguf"), try GGUFFile(path: folder + "/model.gguf"))
    #expect(Set(ours.tensorNames) == Set(theirs.tensorNames))
    for (name, tensor) in theirs.tensors {
      let mine = try #require(ours.tensors[name])
      #expect(mine.dimensions == tensor.dimensions && mine.type == tensor.type)
      #expect(ours.data(of: mine).elementsEqual(theirs.data(of: tensor)), "\(name)")
    }
    for (key, value) in theirs.metadata
    where !["tokens", "scores", "token_type", "name"].contains(where: key.hasSuffix) {
      // The plain vocabulary spells no added token, so ids come from config.json and the added tokens alone.
      #expect(ours.metadata[key] == value, "\(key)")
    }
  }

  @Test func marksAddedTokensAndPads() throws {
    let scratch = try ScratchFolder()
    try convert(SmallModels.folder("phi3-mha"), to: scratch.path + "/a.gguf")
    let file = try GGUFFile(path: scratch.path + "/a.gguf")
    guard case .array(.int32, let count, let types)? = file.metadata["tokenizer.ggml.token_type"],
      case .strings(let tokens)? = file.metadata["tokenizer.ggml.tokens"]
    else {
      Issue.record("no vocabulary")
      return
    }
    #expect(count == 320)
    func type(_ id: Int) -> UInt8 { types.withUnsafeBytes { $0[4 * id] } }
    func token(_ id: Int) -> String { String(decoding: tokens[id], as: UTF8.self) }
    // `</s>` is listed as not special in this model's tokenizer_config.json.
    #expect((0..<4).map(type) == [3, 3, 4, 1])
    #expect((304..<311).allSatisfy { type($0) == 3 } && token(304) == "<|endoftext|>" && token(308) == "<|end|>")
    #expect((311..<320).allSatisfy { type($0) == 5 && token($0) == "[PAD\($0)]" })
  }

  /// Numbers that its makers tell their own programs; what would pass for the format's own keys is left out.
  @Test func passesOwnNumbersOn() throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder("phi3-mha"))
    let text = String(decoding: try bytes(of: scratch.path + "/config.json"), as: UTF8.self)
    let own = #""pet.prompt_format": 1, "pet.x": -1, "pet.y": "one""#
    let more = own + #", "phi3.block_count": 7, "split.count": 9, "use_cache": true"#
    try #require(text.contains(#""use_cache": true"#))
    _ = try scratch.write(
      Array(text.replacingOccurrences(of: #""use_cache": true"#, with: more).utf8), to: "config.json")
    try convert(scratch.path, to: scratch.path + "/a.gguf")
    let file = try GGUFFile(path: scratch.path + "/a.gguf")
    #expect(try file.ownKeys == ["pet.prompt_format"] && file.integer("pet.prompt_format") == 1)
    #expect(try file.integer("phi3.block_count") == 2)
  }

  @Test(arguments: [
    (#""hidden_act": "silu""#, #""hidden_act": "gelu""#), (#""hidden_size": 64"#, #""hidden_size": 0"#),
    (#""hidden_size": 64"#, #""hidden_size": 9223372036854775807"#),
    (#""num_attention_heads": 4"#, #""num_attention_heads": 3"#), (#""vocab_size": 320"#, #""vocab_size": -1"#),
    (#""num_hidden_layers": 2"#, #""num_hidden_layers": 513"#), (#""vocab_size": 320"#, #""vocab_size": 300"#),
    (#""attention_bias": false"#, #""attention_bias": true"#), (#""mlp_bias": false"#, #""mlp_bias": true"#),
    (#""rope_scaling": null"#, #""rope_scaling": {"type": "yarn", "factor": 2.0}"#),
    (#""rope_scaling": null"#, #""rope_scaling": {"type": "dynamic", "factor": 2.0}"#),
    (#""rope_theta": 10000.0"#, #""rope_theta": 1e999"#), (#""rms_norm_eps": 1e-05"#, #""rms_norm_eps": "x""#),
    ("LlamaForCausalLM", "GPT2LMHeadModel"), (#""use_cache": true"#, #""sliding_window": 64"#),
    (#""use_cache": true"#, #""hidden_size": 64"#), (#""num_hidden_layers": 2"#, #""num_hidden_layers": 3"#),
    (#""num_hidden_layers": 2"#, #""num_hidden_layers": 1"#),
    (#""intermediate_size": 64"#, #""intermediate_size": 32"#),
  ])
  func rejectsConfiguration(_ old: String, _ new: String) throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder("llama-gqa"))
    let path = scratch.path + "/config.json"
    let text = String(decoding: try bytes(of: path), as: UTF8.self)
    try #require(text.contains(old))
    _ = try scratch.write(Array(text.replacingOccurrences(of: old, with: new).utf8), to: "config.json")
    let error = try #require(try error(scratch.path))
    #expect(error.description.contains(scratch.path) || error.description.contains("tokenizer.model"))
  }

  @Test(arguments: [
    "../x.safetensors", "/etc/x.safetensors", "a/b.safetensors", ".x.safetensors", "x.bin", "a\\nb.safetensors",
  ])
  func rejectsShardsOutsideTheFolder(_ name: String) throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder("phi3-longrope"))
    let index = #"{"weight_map":{"lm_head.weight":"\#(name)"}}"#
    _ = try scratch.write(Array(index.utf8), to: "model.safetensors.index.json")
    guard case .unsafeFileName = try error(scratch.path) else {
      Issue.record("accepted \(name)")
      return
    }
  }

  @Test func namesMissingFiles() throws {
    for (name, model) in [
      ("config.json", "llama-gqa"), ("model.safetensors", "llama-gqa"),
      ("model-00002-of-00002.safetensors", "phi3-longrope"),
    ] {
      let scratch = try ScratchFolder()
      try scratch.copy(SmallModels.folder(model))
      try FileManager.default.removeItem(atPath: scratch.path + "/" + name)
      guard case .missingFile(let path, _) = try error(scratch.path) else {
        Issue.record("converted without \(name)")
        continue
      }
      #expect(path == scratch.path + "/" + name)
    }
  }

  @Test(arguments: [
    ("llama-gqa", "model.safetensors"), ("phi3-longrope", "model-00002-of-00002.safetensors"),
    ("llama-gqa", "tokenizer.model"),
  ])
  func refusesToReplaceWhatItReads(_ model: String, _ name: String) throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder(model))
    let (path, link) = (scratch.path + "/" + name, scratch.path + "/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    let (before, names) = (try bytes(of: path), scratch.names)
    let vocabulary = ImportedVocabulary(
      path: scratch.path + "/tokenizer.model", tokens: plainVocabulary().tokens, addsSpacePrefix: true)
    let importer = try HuggingFaceImporter(folder: scratch.path, vocabulary: vocabulary, name: "x")
    for output in [path, link] {
      #expect(throws: QuantizationError.overwritesInput(path: path)) { try importer.write(to: output) }
    }
    #expect(try bytes(of: path) == before && scratch.names == names)
  }

  @Test func refusesToOverflowF16() throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder("llama-gqa"))
    let path = scratch.path + "/model.safetensors"
    let file = try SafetensorsFile(path: path)
    var content = try bytes(of: path)
    let tensor = try #require(file.tensors.first { $0.name == "model.layers.1.mlp.down_proj.weight" })
    let start = content.count - (file.tensors.last?.range.upperBound ?? 0) + tensor.range.lowerBound
    let big: [UInt8] = tensor.type == .f32 ? littleEndianBytes(Float(1e6).bitPattern) : [0x74, 0x49]
    content.replaceSubrange(start + 5 * big.count..<start + 6 * big.count, with: big)
    _ = try scratch.write(content, to: "model.safetensors")
    guard case .notRepresentable(_, let name, let element, _, "f16") = try error(scratch.path, .f16) else {
      Issue.record("a weight beyond the range of f16 was converted")
      return
    }
    #expect(name == tensor.name && element == 5)
    #expect(try error(scratch.path, .bf16) == nil)
  }

  /// The published Llama 3.1 values: factor 8, 1 and 4 around a context of 8192.
  @Test func computesLlama3Factors() throws {
    let scratch = try ScratchFolder()
    try scratch.copy(SmallModels.folder("llama-gqa"))
    let text = String(decoding: try bytes(of: scratch.path + "/config.json"), as: UTF8.self)
      .replacingOccurrences(of: "10000.0", with: "500000.0")
      .replacingOccurrences(
        of: #""rope_scaling": null"#,
        with: #""rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "#
          + #""high_freq_factor": 4.0, "original_max_position_embeddings": 8192}"#)
    _ = try scratch.write(Array(text.utf8), to: "config.json")
    let configuration = try HuggingFaceConfiguration(ConfigurationFile(path: scratch.path + "/config.json"))
    guard case .factors(let factors) = configuration.ropeScaling else {
      Issue.record("no factors")
      return
    }
    // Wavelengths 2 pi 500000^(i/8): 6.3, 32, 167, 862, 4443, 22911, ...; bounds 2048 and 8192.
    #expect(factors[..<4] == [1, 1, 1, 1] && factors[5...] == [8, 8, 8])
    let smooth = (8192 / (2 * Double.pi * 500_000.0.squareRoot()) - 1) / 3
    #expect(abs(Double(factors[4]) - 1 / ((1 - smooth) / 8 + smooth)) < 1e-5)
  }

  @Test func roundsToBF16() {
    #expect(roundedToBF16(1) == 0x3f80)
    #expect(roundedToBF16(Float(bitPattern: 0x3f80_8000)) == 0x3f80)  // a tie goes to the even neighbour
    #expect(roundedToBF16(Float(bitPattern: 0x3f81_8000)) == 0x3f82)
    #expect(roundedToBF16(Float(bitPattern: 0xbf80_8001)) == 0xbf81)
  }
}
