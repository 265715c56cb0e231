// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer

/// Folders as they are published.
enum ImportDoors {
  static func safetensors(_ bytes: [UInt8]) throws {
    let file = try SafetensorsFile(path: InputFile.write(bytes))
    for tensor in file.tensors {
      precondition(tensor.range.upperBound <= bytes.count)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: tensor.range.count, alignment: 8)
      defer { memory.deallocate() }
      try file.read(tensor, at: 0, into: memory)
    }
  }

  /// The JSON files of a folder, one after another with a zero byte between them. There are no weights: what they are checked
  /// against is read before.
  static func huggingFace(_ bytes: [UInt8]) throws {
    let names = [
      "config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "generation_config.json",
      "model.safetensors.index.json", "chat_template.jinja",
    ]
    let parts = bytes.split(separator: 0, maxSplits: names.count - 1, omittingEmptySubsequences: false)
    let folder = InputFile.subfolder("folder")
    for (index, name) in names.enumerated() {
      _ = InputFile.write(index < parts.count ? parts[index] : Array("{}".utf8)[...], to: "folder/" + name)
    }
    _ = try HuggingFaceImporter(folder: folder, vocabulary: vocabulary, name: "fuzz")
  }

  private static let vocabulary = ImportedVocabulary(
    path: "tokenizer.model",
    tokens: [.init(text: Array("<unk>".utf8), score: 0, type: .unknown)]
      + ["<s>", "</s>"].map { .init(text: Array($0.utf8), score: 0, type: .control) }
      + (0..<29).map { .init(text: [0x61 + UInt8($0 % 26), UInt8(0x61 + $0 / 26)], score: -Float($0), type: .normal) },
    addsSpacePrefix: true)

  /// A `tokenizer.model`, and through the shim what libsentencepiece makes of it.
  static func sentencePiece(_ bytes: [UInt8]) throws {
    let model = try SentencePieceModel(bytes: bytes)
    let tokenizer = try SentencePieceTokenizer(model)
    for text in ["", " ", "Hello  world", "\u{1F43E}é\u{0}\n", "<s><0x41>"] {
      let ids = try tokenizer.encode(text)
      precondition(ids.allSatisfy { $0 >= 0 && Int($0) < tokenizer.vocabularySize })
      _ = tokenizer.decode(ids, showingSpecials: true)
    }
    _ = try? model.vocabulary()
  }
}
