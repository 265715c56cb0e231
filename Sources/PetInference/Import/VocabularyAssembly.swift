// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// The vocabulary of the output: the pieces of `tokenizer.model`, the added tokens, and placeholders up to the rows
/// of the embedding.
struct VocabularyAssembly {
  private(set) var tokens: [ImportedVocabulary.Token]
  private let folder: TokenizerFolder
  private let addsSpacePrefix: Bool

  /// Added tokens are found by spelling, not merged, so any low score will do; these are the customary ones.
  private static let addedScore: Float = -1000
  private static let placeholderScore: Float = -10000
  /// Texts that end a turn of a chat, of the templates in use.
  private static let turnEnds: Set<String> = ["<|end|>", "<|eot_id|>", "<|im_end|>", "<end_of_turn>"]

  /// - Throws: `ImportError.vocabulary` when the vocabulary does not fit the model.
  init(_ vocabulary: ImportedVocabulary, _ folder: TokenizerFolder, size: Int) throws(ImportError) {
    guard vocabulary.tokens.count <= size else {
      throw .vocabulary(
        path: vocabulary.path,
        problem: "\(vocabulary.tokens.count) pieces, but vocab_size in config.json is \(size); "
          + "the tokenizer belongs to another model")
    }
    self.folder = folder
    addsSpacePrefix = vocabulary.addsSpacePrefix
    tokens = vocabulary.tokens
    for id in tokens.count..<size {
      tokens.append(.init(text: Array("[PAD\(id)]".utf8), score: Self.placeholderScore, type: .unused))
    }
    for added in folder.addedTokens {
      // The format wants user-defined text with plain spaces.
      let text = added.isSpecial ? Array(added.text.utf8) : Self.withPlainSpaces(added.text)
      guard !text.isEmpty else { throw .vocabulary(path: vocabulary.path, problem: "added token \(added.id) is empty") }
      tokens[added.id] = .init(
        text: text, score: Self.addedScore, type: added.isSpecial ? .control : .userDefined)
    }
    var first: [[UInt8]: Int] = [:]
    for (id, token) in tokens.enumerated() {
      if let other = first.updateValue(id, forKey: token.text) {
        let text = String(decoding: token.text, as: UTF8.self).printable
        throw .vocabulary(
          path: vocabulary.path, problem: "tokens \(other) and \(id) are both '\(text)'; check the added tokens")
      }
    }
  }

  private static func withPlainSpaces(_ text: String) -> [UInt8] {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{2581}" ? " " : $0 })).utf8.map { $0 }
  }

  /// The `tokenizer.` keys.
  var metadata: [(key: String, value: GGUFValue)] {
    let model = "tokenizer.ggml."
    var pairs: [(key: String, value: GGUFValue)] = [
      (model + "model", .text("llama")),
      (model + "pre", .text("default")),
      (model + "tokens", .texts(tokens.map(\.text))),
      (model + "scores", .float32s(tokens.map(\.score))),
      (model + "token_type", .int32s(tokens.map(\.type.rawValue))),
    ]
    let ids = roleIDs
    for role in TokenizerFolder.TokenRole.allCases {
      if let id = ids[role] { pairs.append((model + role.keyName + "_token_id", .uint32(UInt32(id)))) }
    }
    let endOfTurn = folder.endOfTurnCandidates.first {
      $0 != ids[.endOfSequence] && Self.turnEnds.contains(String(decoding: tokens[$0].text, as: UTF8.self))
    }
    if let endOfTurn { pairs.append((model + "eot_token_id", .uint32(UInt32(endOfTurn)))) }
    pairs.append((model + "add_bos_token", .bool(folder.addsBeginOfSequence && ids[.beginOfSequence] != nil)))
    pairs.append((model + "add_eos_token", .bool(folder.addsEndOfSequence && ids[.endOfSequence] != nil)))
    pairs.append((model + "add_space_prefix", .bool(addsSpacePrefix)))
    if let template = folder.chatTemplate { pairs.append(("tokenizer.chat_template", .text(template))) }
    return pairs
  }

  /// By spelling where the tokenizer's files give one, else by the id in the model's, else as SentencePiece spells it.
  private var roleIDs: [TokenizerFolder.TokenRole: Int] {
    var byText: [[UInt8]: Int] = [:]
    for (id, token) in tokens.enumerated() { byText[token.text] = id }
    var ids: [TokenizerFolder.TokenRole: Int] = [:]
    let customary: [TokenizerFolder.TokenRole: String] = [
      .beginOfSequence: "<s>", .endOfSequence: "</s>", .unknown: "<unk>",
    ]
    for role in TokenizerFolder.TokenRole.allCases {
      let spelled = folder.spellings[role].flatMap { byText[Array($0.utf8)] }
      ids[role] = spelled ?? folder.roles[role] ?? customary[role].flatMap { byText[Array($0.utf8)] }
    }
    return ids
  }
}
