// SPDX-License-Identifier: Apache-2.0
/// The format of a conversation for a model.
///
/// The template in a model file is a program (Jinja) and is never run: files have used it to run code on the machine
/// that loads them (CVE-2024-34359). It is recognized by what it writes, and rendered by the code here.
///
/// A conversation is rendered in increments, each a function of its own turn only, so that a token ledger can append:
/// ``opening(system:)``, then for each exchange ``userTurn(_:at:)`` and, after the reply, ``closing(turnEndIsThere:)``.
/// Nothing that the caller did not ask for is inserted: where a reference template adds a system message by default
/// (SmolLM2) or today's date (Llama 3.1), this one does not.
package struct ChatTemplate: Sendable, Equatable {
  package enum Family: String, Sendable, CaseIterable {
    case phi3 = "phi-3"
    case chatML = "chatml"
    case llama2 = "llama-2"
    case llama3 = "llama-3"
    case gemma
    case zephyr
  }

  package let family: Family
  /// Whether the rendered conversation starts with the begin-of-sequence token.
  package let startsWithBeginOfSequence: Bool

  package init(_ family: Family, startsWithBeginOfSequence: Bool) {
    self.family = family
    self.startsWithBeginOfSequence = startsWithBeginOfSequence
  }

  /// Recognizes the text of `tokenizer.chat_template`.
  ///
  /// - Parameter addsBeginOfSequence: what the vocabulary says, for templates that do not write the token themselves.
  /// - Throws: ``TokenizerError/unknownChatTemplate``.
  package init(recognizing source: String, addsBeginOfSequence: Bool) throws(TokenizerError) {
    guard let family = Family(recognizing: source) else { throw .unknownChatTemplate }
    self.init(
      family, startsWithBeginOfSequence: addsBeginOfSequence || source.utf8.firstPosition(of: "bos_token".utf8) != nil)
  }

  /// Special tokens that end a reply in this format, besides the end of sequence.
  package var stopTokens: [String] {
    switch family {
    case .phi3: ["<|end|>", "<|endoftext|>"]
    case .chatML: ["<|im_end|>"]
    case .llama3: ["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"]
    case .gemma: ["<end_of_turn>"]
    case .llama2, .zephyr: []
    }
  }
}

extension ChatTemplate.Family {
  /// Marks that the published templates of a family write, and those of no other format known.
  init?(recognizing source: String) {
    let utf8 = Array(source.utf8)
    func has(_ mark: String) -> Bool { utf8.firstPosition(of: mark.utf8) != nil }
    if has("<|im_start|>"), has("<|im_end|>"), !has("<|im_sep|>") {
      self = .chatML
    } else if has("<|start_header_id|>"), has("<|eot_id|>") {
      self = .llama3
    } else if has("<start_of_turn>"), has("<end_of_turn>") {
      self = .gemma
    } else if has("[INST]"), has("<<SYS>>") {
      self = .llama2
    } else if has("<|assistant|>"), let turn = Self.userTurnExpression(in: utf8) {
      // Several formats have these marks; they differ in what the same expression writes around the user's text.
      func ends(with mark: String) -> Bool { turn.firstPosition(of: mark.utf8) != nil }
      if ends(with: "<|end|>") {
        self = .phi3
      } else if ends(with: "eos_token") || ends(with: "</s>") || ends(with: "<|endoftext|>") {
        self = .zephyr
      } else {
        return nil
      }
    } else {
      return nil
    }
  }

  /// What a template writes after `<|user|>`, if that is a line break first: to the end of the expression, without
  /// blanks. The role may be spelled or be the message's.
  private static func userTurnExpression(in source: [UInt8]) -> ArraySlice<UInt8>? {
    let compact = source.compactMap { byte -> UInt8? in
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") ? nil : byte == UInt8(ascii: "\"") ? 0x27 : byte
    }
    for mark in ["<|user|>", "<|'+message['role']+'|>", "<|'+message.role+'|>"] {
      guard let start = compact.firstPosition(of: mark.utf8) else { continue }
      let rest = compact[start...]
      let turn = rest[..<(rest.firstPosition(of: "}}".utf8) ?? rest.endIndex)].dropFirst(mark.utf8.count)
      let breaks = ["\\n", "\n", "'+'\\n", "'+'\n"]
      return breaks.contains { turn.starts(with: $0.utf8) } ? turn : nil
    }
    return nil
  }
}

extension Collection<UInt8> {
  /// Where the bytes occur first, in a row.
  func firstPosition(of needle: some Collection<UInt8>) -> Index? {
    guard let first = needle.first else { return startIndex }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: needle) { return start }
      rest = rest.dropFirst()
    }
    return nil
  }
}
