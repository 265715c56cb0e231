/// SentencePiece (Kudo and Richardson 2018, https://arxiv.org/abs/1808.06226), by libsentencepiece.
///
/// Bytes that are not UTF-8 are encoded as U+FFFD each, as the library does: they do not come back.
public struct SentencePieceTokenizer: Tokenizer {
  public let roles: TokenRoles
  public let specialTokens: SpecialTokens
  private let processor: SentencePieceProcessor
  /// What each piece stands for.
  private let table: TokenTable
  /// Whether the space before text is added here, where it can be left out, rather than by the library.
  private let prependsSpace: Bool

  public var vocabularySize: Int { table.count }

  /// A tokenizer from the vocabulary of a GGUF file.
  ///
  /// Every stretch of text between special tokens starts with the space prefix, if the vocabulary has one: so do the
  /// reference tokenizers of Llama 2 and Phi-3.
  public init(_ vocabulary: Vocabulary) throws(TokenizerError) {
    try self.init(SentencePieceModel(vocabulary), vocabulary: vocabulary)
  }

  /// A tokenizer from a `tokenizer.model`.
  public init(_ model: SentencePieceModel) throws(TokenizerError) {
    try self.init(model, vocabulary: model.uncheckedVocabulary())
  }

  private init(_ model: SentencePieceModel, vocabulary: Vocabulary) throws(TokenizerError) {
    // The library would drop a space of ours where it removes extra ones; such models always get its own.
    prependsSpace = model.addsDummyPrefix && !model.removesExtraWhitespace
    let serialized = model.serialized(addsDummyPrefix: model.addsDummyPrefix && !prependsSpace) { token in
      SpecialTokens.isStructural(model.piece(token), type: model.type(token)) && model.type(token) != .unknown
    }
    processor = try SentencePieceProcessor(model: serialized)
    guard processor.count == model.count else {
      throw .sentencePiece("\(processor.count) pieces were loaded of \(model.count)")
    }
    table = try Self.decodePieces(of: model)
    roles = vocabulary.roles
    specialTokens = SpecialTokens(vocabulary, matchesLiterals: false)
  }

  public func bytes(of id: Int32) -> ArraySlice<UInt8> {
    id >= 0 && id < table.count ? table[Int(id)] : []
  }

  public func encodePlain(
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

  /// `▁` becomes a space, byte pieces their byte, the unknown piece ` ⁇ ` (SentencePiece's `unk_surface`).
  private static func decodePieces(of model: SentencePieceModel) throws(TokenizerError) -> TokenTable {
    var builder = TokenTableBuilder()
    builder.reserve(entries: model.count, bytes: model.pieces.bytes.count)
    for token in 0..<model.count {
      let piece = model.piece(token)
      switch model.type(token) {
      case .unknown: builder.append(" \u{2047} ".utf8)
      case .byte: builder.append(CollectionOfOne(SentencePieceModel.byte(ofPiece: piece) ?? 0))
      case .control: builder.append(piece)
      case .normal, .userDefined, .unused:
        var position = piece.startIndex
        while position < piece.endIndex {
          if piece[position...].starts(with: [0xE2, 0x96, 0x81]) {
            builder.extend(0x20)
            position += 3
          } else {
            builder.extend(piece[position])
            position += 1
          }
        }
        builder.endEntry()
      }
    }
    return try builder.finish()
  }
}
