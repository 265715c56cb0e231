// SPDX-License-Identifier: Apache-2.0
/// SentencePiece (Kudo and Richardson 2018, https://arxiv.org/abs/1808.06226), by libsentencepiece.
///
/// Bytes that are not UTF-8 are encoded as U+FFFD each, as the library does: they do not come back.
package struct SentencePieceTokenizer: Tokenizer {
  package let roles: TokenRoles
  package let specialTokens: SpecialTokens
  private let processor: SentencePieceProcessor
  /// As they are spelled.
  private let pieces: TokenTable
  private let types: [TokenType]
  /// Whether the space before text is added here, where it can be left out, rather than by the library.
  private let prependsSpace: Bool

  package var vocabularySize: Int { pieces.count }

  /// A tokenizer from the vocabulary of a GGUF file.
  ///
  /// Every stretch of text between special tokens starts with the space prefix, if the vocabulary has one: so do the
  /// reference tokenizers of Llama 2 and Phi-3.
  package init(_ vocabulary: Vocabulary) throws(TokenizerError) {
    try self.init(SentencePieceModel(vocabulary), vocabulary: vocabulary)
  }

  /// A tokenizer from a `tokenizer.model`.
  package init(_ model: SentencePieceModel) throws(TokenizerError) {
    try self.init(model, vocabulary: model.uncheckedVocabulary())
  }

  private init(_ model: SentencePieceModel, vocabulary: Vocabulary) throws(TokenizerError) {
    // The library would drop a space of ours where it removes extra ones; such models always get its own.
    prependsSpace = model.addsDummyPrefix && !model.removesExtraWhitespace
    let serialized = model.serialized(addsDummyPrefix: model.addsDummyPrefix && !prependsSpace) { piece, type in
      SpecialTokens.isStructural(piece, type: type) && type != .unknown
    }
    processor = try SentencePieceProcessor(model: serialized)
    guard processor.count == model.count else {
      throw .sentencePiece("\(processor.count) pieces were loaded of \(model.count)")
    }
    pieces = model.pieces
    types = model.types
    roles = vocabulary.roles
    specialTokens = SpecialTokens(vocabulary, matchesLiterals: false)
  }

  /// `▁` becomes a space, byte pieces their byte, the unknown piece ` ⁇ ` (SentencePiece's `unk_surface`).
  package func appendBytes(of id: Int32, to bytes: inout [UInt8]) {
    guard id >= 0, id < pieces.count else { return }
    pieces.withView { pieces in
      let piece = pieces[Int(id)]
      switch types[Int(id)] {
      case .unknown: bytes += " \u{2047} ".utf8
      case .byte: bytes.append(SentencePieceModel.byte(ofPiece: piece) ?? 0)
      case .control: bytes += piece
      case .normal, .userDefined, .unused:
        var position = 0
        while position < piece.count {
          let isSpace = piece[position] == 0xE2 && piece[position...].starts(with: Self.spaceMark)
          bytes.append(isSpace ? 0x20 : piece[position])
          position += isSpace ? Self.spaceMark.count : 1
        }
      }
    }
  }

  /// `▁`
  private static let spaceMark: [UInt8] = [0xE2, 0x96, 0x81]

  package func id(ofBytes bytes: [UInt8]) -> Int32? {
    var candidate: [UInt8] = []
    for id in types.indices where types[id] == .normal || types[id] == .byte {
      candidate.removeAll(keepingCapacity: true)
      appendBytes(of: Int32(id), to: &candidate)
      if candidate == bytes { return Int32(id) }
    }
    return nil
  }

  package func encodePlain(
    _ text: UnsafeBufferPointer<UInt8>, continuing: Bool, into ids: inout [Int32]
  ) throws(TokenizerError) {
    guard text.count <= maximumTextByteCount else {
      throw .textTooLong(byteCount: text.count, limit: maximumTextByteCount)
    }
    guard !text.isEmpty else { return }
    guard prependsSpace, !continuing else { return try processor.encode(text, into: &ids) }
    let prefixed = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count + 1)
    defer { prefixed.deallocate() }
    prefixed[0] = 0x20
    _ = prefixed[1...].initialize(fromContentsOf: text)
    try processor.encode(UnsafeBufferPointer(prefixed), into: &ids)
  }
}
