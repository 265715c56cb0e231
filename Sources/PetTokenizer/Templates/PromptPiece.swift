/// A part of a rendered prompt: structure, or text in which nothing is special.
public enum PromptPiece: Sendable, Equatable {
  /// The begin-of-sequence token, where the vocabulary has one.
  case beginOfSequence
  /// The end-of-sequence token.
  case endOfSequence
  /// A special token by its spelling; the vocabulary must have it.
  case special(String)
  /// A turn marker: the special token where the vocabulary has it, else text.
  case marker(String)
  case text(String)
}

extension Tokenizer {
  /// Encodes a rendered prompt. Neighbouring texts are encoded as one.
  ///
  /// - Throws: ``TokenizerError/missingSpecialToken(_:)`` where the vocabulary lacks what the template needs.
  public func encode(_ pieces: [PromptPiece]) throws(TokenizerError) -> [Int32] {
    var ids: [Int32] = []
    var text: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .text(let part): text += part.utf8
      case .marker(let spelling):
        if let id = id(ofSpecial: spelling) {
          try appendSpecial(id, after: &text, to: &ids)
        } else {
          text += spelling.utf8
        }
      case .special(let spelling):
        guard let id = id(ofSpecial: spelling) else { throw .missingSpecialToken(spelling) }
        try appendSpecial(id, after: &text, to: &ids)
      case .beginOfSequence:
        guard let id = roles.beginOfSequence else { throw .missingSpecialToken("begin of sequence") }
        try appendSpecial(Int32(id), after: &text, to: &ids)
      case .endOfSequence:
        guard let id = roles.endOfSequence else { throw .missingSpecialToken("end of sequence") }
        try appendSpecial(Int32(id), after: &text, to: &ids)
      }
    }
    try appendText(text, to: &ids)
    return ids
  }

  private func appendSpecial(
    _ id: Int32, after text: inout [UInt8], to ids: inout [Int32]
  ) throws(TokenizerError) {
    try appendText(text, to: &ids)
    text.removeAll(keepingCapacity: true)
    ids.append(id)
  }

  /// Text after a token that strips to the right loses the whitespace at its start.
  private func appendText(_ text: [UInt8], to ids: inout [Int32]) throws(TokenizerError) {
    var text = text
    if let last = ids.last, specialTokens.stripsWhitespace(after: last) {
      text.removeFirst(text.withUnsafeBufferPointer { $0.leadingWhitespaceCount })
    }
    try appendEncoding(of: text, specials: .asText, to: &ids)
  }
}

/// A rendered prompt as the reference template would print it.
public func promptText(_ pieces: [PromptPiece], beginOfSequence: String, endOfSequence: String) -> String {
  pieces.map { piece in
    switch piece {
    case .beginOfSequence: beginOfSequence
    case .endOfSequence: endOfSequence
    case .special(let text), .marker(let text), .text(let text): text
    }
  }.joined()
}
