// SPDX-License-Identifier: Apache-2.0
/// How text that spells a special token is read.
public enum SpecialTokenHandling: Sendable {
  /// As text: user input cannot forge the structure of a conversation.
  case asText
  /// As the token.
  case parse
}

/// The tokens of a vocabulary that are matched as a whole rather than built from smaller ones.
public struct SpecialTokens: Sendable {
  /// Structure: matched only where the caller asks for it, hidden from decoded text.
  private let structural: LiteralMatcher
  /// Structure and literals, longest first.
  private let all: LiteralMatcher
  /// Text that is always one token, such as the runs of spaces that some vocabularies add.
  private let literals: LiteralMatcher
  private let isHidden: [Bool]
  /// Tokens after which whitespace is dropped, see ``TokenRoles/stripsAfterSpecialTokens``.
  private let stripsAfter: Set<Int32>
  /// Tokens whose text is not spelled with `▁`: the unknown piece and byte pieces.
  private let spelledLiterally: Set<Int32>
  /// Tokens that end a reply, whatever the template: the end of sequence, of turn, and those known by name.
  package let endOfGeneration: Set<Int32>

  /// - Parameter matchesLiterals: whether user-defined tokens are matched here; libsentencepiece does it by itself.
  init(_ vocabulary: Vocabulary, matchesLiterals: Bool) {
    var structural = LiteralMatcher()
    var literals = LiteralMatcher()
    var all = LiteralMatcher()
    var isHidden = [Bool](repeating: false, count: vocabulary.tokens.count)
    var stripsAfter: Set<Int32> = []
    var spelledLiterally: Set<Int32> = []
    let roles = vocabulary.roles
    var ends = Set([roles.endOfSequence, roles.endOfTurn].compactMap { $0.map(Int32.init) })
    for (index, type) in vocabulary.types.enumerated() where type != .normal {
      let id = Int32(index)
      let bytes = vocabulary.tokens[index]
      guard !bytes.isEmpty else { continue }
      if type == .byte || type == .unknown { spelledLiterally.insert(id) }
      if Self.isStructural(bytes, type: type) {
        structural.insert(bytes, id: id)
        all.insert(bytes, id: id)
        isHidden[index] = type != .unknown
        let name = String(decoding: bytes, as: UTF8.self)
        if Self.endOfGenerationNames.contains(name) { ends.insert(id) }
        if roles.stripsAfterSpecialTokens, !Self.keepsWhitespaceAfter.contains(name) { stripsAfter.insert(id) }
      } else if matchesLiterals, type == .userDefined {
        literals.insert(bytes, id: id)
        all.insert(bytes, id: id)
      }
    }
    self.structural = structural
    self.literals = literals
    self.all = all
    self.isHidden = isHidden
    self.stripsAfter = stripsAfter
    self.spelledLiterally = spelledLiterally
    endOfGeneration = ends
  }

  /// Files also mark special tokens as user-defined, which libraries then match in anything a user types. Tokens that
  /// are spelled as turn markers count as structure, other user-defined ones (runs of spaces, markup) as text.
  static func isStructural(_ bytes: some BidirectionalCollection<UInt8>, type: TokenType) -> Bool {
    switch type {
    case .control, .unknown: true
    case .normal, .unused, .byte: false
    case .userDefined:
      (bytes.starts(with: "<|".utf8) && bytes.reversed().starts(with: "|>".utf8.reversed()))
        || turnMarkers.contains(String(decoding: bytes, as: UTF8.self))
    }
  }

  private static let turnMarkers: Set<String> = [
    "<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<mask>", "<start_of_turn>", "<end_of_turn>",
    "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]",
    "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>",
  ]

  private static let endOfGenerationNames: Set<String> = [
    "<|im_end|>", "<|endoftext|>", "<|end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<end_of_turn>",
  ]

  private static let keepsWhitespaceAfter: Set<String> = ["<unk>", "<s>", "<|endoftext|>"]

  /// The structural token that is spelled so. O(length).
  package func id(of text: String) -> Int32? {
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBufferPointer { text in
      guard let match = structural.longestMatch(in: text, at: 0), match.length == text.count else { return nil }
      return match.id
    }
  }

  /// Whether a token is structure, left out of decoded text. The unknown token is not: it stands for text.
  package func hides(_ id: Int32) -> Bool { isHidden.indices.contains(Int(id)) && isHidden[Int(id)] }

  /// Whether a space at the start of the token's text may be the one that was added before text.
  func mayHoldSpacePrefix(_ id: Int32) -> Bool { !spelledLiterally.contains(id) }

  func stripsWhitespace(after id: Int32) -> Bool { stripsAfter.contains(id) }

  func matcher(for handling: SpecialTokenHandling) -> LiteralMatcher {
    switch handling {
    case .asText: literals
    case .parse: all
    }
  }
}
