// SPDX-License-Identifier: Apache-2.0
/// A part of a rendered prompt: structure, or text without special tokens.
package enum PromptPiece: Sendable, Equatable {
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
  /// Encodes a rendered prompt, or an increment of one. Neighbouring texts are encoded as one.
  ///
  /// - Parameter previous: the token that the increment is appended to; nil at the start of a sequence. It decides
  ///   whether whitespace at the start belongs to it (``TokenRoles/stripsAfterSpecialTokens``) and whether text gets a
  ///   space prefix.
  /// - Throws: ``TokenizerError/missingSpecialToken(_:)`` where the vocabulary lacks what the template needs.
  package func encode(_ pieces: [PromptPiece], following previous: Int32?) throws(TokenizerError) -> [Int32] {
    var ids: [Int32] = []
    var text: [UInt8] = []
    for piece in pieces {
      let special: Int32
      switch (piece, try specialToken(for: piece)) {
      case (.text(let part), _), (.marker(let part), nil):
        text += part.utf8
        continue
      case (_, let id?): special = id
      case (_, nil): continue
      }
      try appendText(text, following: ids.last ?? previous, to: &ids)
      text.removeAll(keepingCapacity: true)
      ids.append(special)
    }
    try appendText(text, following: ids.last ?? previous, to: &ids)
    return ids
  }

  /// The token of a piece that is structure; nil for text and for a marker that the vocabulary spells as text.
  private func specialToken(for piece: PromptPiece) throws(TokenizerError) -> Int32? {
    switch piece {
    case .text: return nil
    case .marker(let spelling): return id(ofSpecial: spelling)
    case .special(let spelling):
      guard let id = id(ofSpecial: spelling) else { throw .missingSpecialToken(spelling) }
      return id
    case .beginOfSequence:
      guard let id = roles.beginOfSequence else { throw .missingSpecialToken("begin of sequence") }
      return Int32(id)
    case .endOfSequence:
      guard let id = roles.endOfSequence else { throw .missingSpecialToken("end of sequence") }
      return Int32(id)
    }
  }

  /// Text after a token that strips to the right loses the whitespace at its start.
  private func appendText(
    _ text: [UInt8], following previous: Int32?, to ids: inout [Int32]
  ) throws(TokenizerError) {
    guard let previous else { return try appendEncoding(of: text, specials: .asText, to: &ids) }
    var text = text
    if specialTokens.stripsWhitespace(after: previous) {
      text.removeFirst(text.withUnsafeBufferPointer { $0.leadingWhitespaceCount })
    }
    let continuing = !specialTokens.hides(previous)
    try appendEncoding(of: text, specials: .asText, continuing: continuing, to: &ids)
  }
}

/// A rendered prompt as the reference template would print it.
package func promptText(_ pieces: [PromptPiece], beginOfSequence: String, endOfSequence: String) -> String {
  pieces.map { piece in
    switch piece {
    case .beginOfSequence: beginOfSequence
    case .endOfSequence: endOfSequence
    case .special(let text), .marker(let text), .text(let text): text
    }
  }.joined()
}
