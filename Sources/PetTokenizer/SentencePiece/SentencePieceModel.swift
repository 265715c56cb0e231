// SPDX-License-Identifier: Apache-2.0
/// A SentencePiece vocabulary with what encoding needs to know: the content of a `tokenizer.model`, or of a GGUF file.
///
/// Pieces are joined by score (`model_type: BPE`), as in all model families supported here.
///
/// libsentencepiece, which does not validate its input, receives only these validated fields.
package struct SentencePieceModel: Sendable {
  package internal(set) var pieces = TokenTable()
  package internal(set) var scores: [Float] = []
  package internal(set) var types: [TokenType] = []
  package internal(set) var unknown: Int?
  package internal(set) var beginOfSequence: Int?
  package internal(set) var endOfSequence: Int?
  package internal(set) var padding: Int?
  /// Text starts with a space that is not in the input.
  package internal(set) var addsDummyPrefix = true
  /// Runs of spaces become one, those at the ends are dropped.
  package internal(set) var removesExtraWhitespace = true
  package internal(set) var usesByteFallback = false

  package var count: Int { pieces.count }

  /// A copy of piece `index`, with `▁` for space.
  package func piece(_ index: Int) -> [UInt8] { pieces[index] }
  package func score(_ index: Int) -> Float { scores[index] }
  package func type(_ index: Int) -> TokenType { types[index] }

  /// The SentencePiece model of a GGUF vocabulary: byte pairs by score, text unnormalized.
  ///
  /// - Throws: ``TokenizerError`` naming the offending token.
  package init(_ vocabulary: Vocabulary) throws(TokenizerError) {
    pieces = vocabulary.tokens
    scores = vocabulary.scores
    types = vocabulary.types
    beginOfSequence = vocabulary.roles.beginOfSequence
    endOfSequence = vocabulary.roles.endOfSequence
    if !types.contains(.unknown), let id = vocabulary.roles.unknown {
      // Converters of Phi-3 list its unknown piece among the added tokens and so make it a control token.
      types[id] = .unknown
    }
    unknown = types.firstIndex(of: .unknown)
    addsDummyPrefix = vocabulary.roles.addsSpacePrefix
    removesExtraWhitespace = false
    usesByteFallback = types.contains(.byte)
    try validate()
  }

  /// The same as the keys of a GGUF file, which can only say what Llama-like models need.
  ///
  /// - Throws: ``TokenizerError/unsupportedModel(_:)`` for a model that removes spaces.
  package func vocabulary() throws(TokenizerError) -> Vocabulary {
    guard !removesExtraWhitespace else { throw .unsupportedModel("remove_extra_whitespaces inside a GGUF file") }
    return try uncheckedVocabulary()
  }

  func uncheckedVocabulary() throws(TokenizerError) -> Vocabulary {
    try Vocabulary(
      algorithm: .sentencePiece, tokens: pieces, scores: scores, types: types.map(\.rawValue),
      roles: TokenRoles(
        beginOfSequence: beginOfSequence, endOfSequence: endOfSequence, unknown: unknown,
        addsBeginOfSequence: beginOfSequence != nil, addsSpacePrefix: addsDummyPrefix))
  }

  /// The byte of a byte piece, spelled `<0x00>` to `<0xFF>` in upper case.
  static func byte(ofPiece piece: UnsafeBufferPointer<UInt8>) -> UInt8? {
    guard piece.count == 6, piece.starts(with: "<0x".utf8), piece.last == UInt8(ascii: ">") else { return nil }
    var value: UInt8 = 0
    for digit in piece.dropFirst(3).dropLast() {
      switch digit {
      case 0x30...0x39: value = value << 4 | (digit - 0x30)
      case 0x41...0x46: value = value << 4 | (digit - 0x41 + 10)
      default: return nil
      }
    }
    return value
  }

  func validate() throws(TokenizerError) {
    guard (1...Vocabulary.maximumTokenCount).contains(count) else { throw .tokenCount(count) }
    var bytePieces: Set<UInt8> = []
    var unknownPieces = 0
    try pieces.withView { (pieces) throws(TokenizerError) in
      for token in 0..<count {
        let piece = pieces[token]
        guard !piece.isEmpty else { throw .emptyToken(token) }
        guard piece.count <= Vocabulary.maximumLiteralByteCount else {
          throw .tokenTooLong(token: token, byteCount: piece.count, limit: Vocabulary.maximumLiteralByteCount)
        }
        // The library builds tries from zero-terminated strings.
        guard !piece.contains(0) else { throw .zeroByteInToken(token) }
        guard scores[token].isFinite else { throw .scoreNotFinite(token: token) }
        switch types[token] {
        case .unknown: unknownPieces += 1
        case .byte:
          guard let byte = Self.byte(ofPiece: piece) else {
            throw .invalidBytePiece(token: token, text: String(decoding: piece, as: UTF8.self))
          }
          bytePieces.insert(byte)
        case .normal, .control, .userDefined, .unused: break
        }
      }
    }
    if let token = TokenIndex(pieces, where: { _, _ in true }).firstRepeated {
      throw .duplicateToken(token, text: pieces.text(token))
    }
    guard unknownPieces == 1 else { throw .unknownPieces(found: unknownPieces) }
    guard bytePieces.isEmpty ? !usesByteFallback : usesByteFallback && bytePieces.count == 256 else {
      throw .bytePieces(found: bytePieces.count)
    }
  }
}
