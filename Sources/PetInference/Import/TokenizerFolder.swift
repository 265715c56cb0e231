// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetJSON

/// What the JSON files of a folder add to its `tokenizer.model`: added tokens, roles, the chat template.
struct TokenizerFolder {
  struct AddedToken: Equatable {
    let id: Int
    let text: String
    /// Special tokens steer the model and are hidden from the reader; others are text that is never split.
    let isSpecial: Bool
  }

  /// Later entries override earlier ones with the same id.
  private(set) var addedTokens: [AddedToken] = []
  private(set) var roles: [TokenRole: Int] = [:]
  /// Spellings of roles, where a file names the token and not its id.
  private(set) var spellings: [TokenRole: String] = [:]
  private(set) var endOfTurnCandidates: [Int] = []
  private(set) var addsBeginOfSequence = true
  private(set) var addsEndOfSequence = false
  private(set) var chatTemplate: String?

  enum TokenRole: String, CaseIterable {
    case beginOfSequence = "bos"
    case endOfSequence = "eos"
    case unknown = "unk"
    case padding = "pad"

    /// The middle of the GGUF key.
    var keyName: String {
      switch self {
      case .beginOfSequence, .endOfSequence: rawValue
      case .unknown: "unknown"
      case .padding: "padding"
      }
    }
  }

  private let folder: String
  private let vocabularySize: Int
  /// The largest published templates have 30 KB.
  private static let maximumTemplateSize = 1 << 20

  /// - Throws: `FileError`, `ImportError`
  init(folder: String, configuration: ConfigurationFile, vocabularySize: Int) throws {
    self.folder = folder
    self.vocabularySize = vocabularySize
    let tokenizer = try file("tokenizer_config.json")
    let specials = try file("special_tokens_map.json")
    let generation = try file("generation_config.json")

    if let added = try file("added_tokens.json") { try readAddedTokens(added) }
    if let tokenizer {
      try readDecoder(tokenizer)
      addsBeginOfSequence = try tokenizer.bool("add_bos_token", default: true)
      addsEndOfSequence = try tokenizer.bool("add_eos_token", default: false)
      chatTemplate = try template(tokenizer)
    }
    let templatePath = folder + "/chat_template.jinja"
    if FilePath.exists(templatePath) {
      let bytes = try ConfigurationFile.bytes(templatePath, limit: Self.maximumTemplateSize)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ImportError.vocabulary(path: templatePath, problem: "the chat template is not UTF-8")
      }
      chatTemplate = text
    }
    // The tokenizer's own files take precedence over the model's; the first value counts.
    for source in [tokenizer, specials] {
      guard let source else { continue }
      for role in TokenRole.allCases where spellings[role] == nil {
        let value = source.root["\(role.rawValue)_token"]
        spellings[role] = value?.text ?? value?["content"]?.text
      }
    }
    for source in [generation, configuration] {
      guard let source else { continue }
      for role in TokenRole.allCases { try readID(role, source) }
    }
  }

  private func file(_ name: String) throws -> ConfigurationFile? {
    let path = folder + "/" + name
    return FilePath.exists(path) ? try ConfigurationFile(path: path) : nil
  }

  private mutating func readID(_ role: TokenRole, _ file: ConfigurationFile) throws {
    let key = "\(role.rawValue)_token_id"
    guard let value = file.root[key] else { return }
    // Chat models list several ends; the first is the end of sequence.
    let ids = value.array ?? [value]
    for (position, element) in ids.enumerated() {
      // Some files say -1 for "none".
      guard let id = element.integer, (-1..<vocabularySize).contains(id) else {
        throw file.invalid(key, element, "a token id below \(vocabularySize)")
      }
      guard id >= 0 else { continue }
      if position == 0, roles[role] == nil { roles[role] = id }
      if role == .endOfSequence { endOfTurnCandidates.append(id) }
    }
  }

  private mutating func readAddedTokens(_ file: ConfigurationFile) throws {
    guard let members = file.root.members else {
      throw file.invalid("the file", file.root, "an object from tokens to ids")
    }
    for (text, value) in members {
      guard let id = value.integer, (0..<vocabularySize).contains(id) else {
        throw file.invalid(text, value, "a token id below vocab_size, \(vocabularySize)")
      }
      addedTokens.append(AddedToken(id: id, text: text, isSpecial: false))
    }
  }

  private mutating func readDecoder(_ file: ConfigurationFile) throws {
    guard let decoder = file.root["added_tokens_decoder"] else { return }
    guard let members = decoder.members else {
      throw file.invalid("added_tokens_decoder", decoder, "an object from ids to tokens")
    }
    for (key, value) in members {
      guard let id = Int(key), (0..<vocabularySize).contains(id) else {
        throw file.invalid(
          "added_tokens_decoder", JSONValue(text: key), "token ids below vocab_size, \(vocabularySize)")
      }
      guard let text = value["content"]?.text else {
        throw file.invalid("added_tokens_decoder.\(key).content", value["content"], "a string")
      }
      addedTokens.append(AddedToken(id: id, text: text, isSpecial: value["special"]?.bool ?? false))
    }
  }

  /// One template, or a list of named ones of which `default` is for chat.
  private func template(_ file: ConfigurationFile) throws -> String? {
    guard let value = file.root["chat_template"] else { return nil }
    if let text = value.text { return text }
    let named = value.array?.first { $0["name"]?.text == "default" }
    guard let text = named?["template"]?.text else {
      throw file.invalid("chat_template", value, "a string or a list with an entry named 'default'")
    }
    return text
  }
}
