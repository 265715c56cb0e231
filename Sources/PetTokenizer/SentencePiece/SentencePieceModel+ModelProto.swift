// SPDX-License-Identifier: Apache-2.0
/// Reading and writing SentencePiece's `ModelProto` (sentencepiece_model.proto of google/sentencepiece).
extension SentencePieceModel {
  /// Reads the bytes of a `tokenizer.model`.
  ///
  /// Models that normalize text by a compiled character map are refused: no model family supported here uses one, and
  /// the library of Debian 12 reads out of bounds of a malicious map (CVE-2026-1260).
  ///
  /// So are unigram models: where scores tie, versions of the library give different ids.
  ///
  /// - Throws: ``TokenizerError`` with the offset or the token at fault.
  package init(bytes: [UInt8]) throws(TokenizerError) {
    guard bytes.count <= TokenTable.maximumByteCount else {
      throw .malformedModel(offset: 0, what: "a file of \(bytes.count) bytes")
    }
    var table = TokenTableBuilder()
    var settings = TrainerSettings()
    var reader = ProtobufReader(bytes[...])
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .bytes(let message)): try readPiece(message, into: &table)
      case (2, .bytes(let message)): try readTrainer(message, settings: &settings)
      case (3, .bytes(let message)): try readNormalizer(message)
      default: continue
      }
    }
    guard settings.modelType == Self.bytePairType else {
      throw .unsupportedModel("model type \(settings.modelType) (1 is unigram, 2 is BPE)")
    }
    pieces = try table.finish()
    try validate()
    unknown = types.firstIndex(of: .unknown)
    beginOfSequence = settings.begin.flatMap { find($0) }
    endOfSequence = settings.end.flatMap { find($0) }
    padding = settings.padding.flatMap { find($0) }
  }

  /// `TrainerSpec.ModelType.BPE`
  private static let bytePairType: UInt64 = 2

  /// Fields of the trainer's part that encoding does not need.
  private struct TrainerSettings {
    var modelType: UInt64 = 1
    var begin: ArraySlice<UInt8>? = Array("<s>".utf8)[...]
    var end: ArraySlice<UInt8>? = Array("</s>".utf8)[...]
    var padding: ArraySlice<UInt8>? = Array("<pad>".utf8)[...]
  }

  /// Reserved pieces are looked up by spelling, as the library does; the ids in the trainer's part are the requested ones, not
  /// the resulting ones.
  private func find(_ spelling: ArraySlice<UInt8>) -> Int? {
    types.indices.first { types[$0] == .control && pieces[$0].elementsEqual(spelling) }
  }

  private mutating func readPiece(
    _ message: ArraySlice<UInt8>, into table: inout TokenTableBuilder
  ) throws(TokenizerError) {
    var piece: ArraySlice<UInt8> = []
    var score: Float = 0
    var type = TokenType.normal
    var reader = ProtobufReader(message)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (1, .bytes(let bytes)): piece = bytes
      case (2, .fixed32(let bits)): score = Float(bitPattern: bits)
      case (3, .varint(let raw)):
        let value = Int32(truncatingIfNeeded: raw)
        guard let known = TokenType(rawValue: value) else {
          throw .unknownTokenType(token: types.count, value: value)
        }
        type = known
      default: continue
      }
    }
    guard types.count < Vocabulary.maximumTokenCount else { throw .tokenCount(types.count + 1) }
    table.append(piece)
    scores.append(score)
    types.append(type)
  }

  private mutating func readTrainer(
    _ message: ArraySlice<UInt8>, settings: inout TrainerSettings
  ) throws(TokenizerError) {
    var reader = ProtobufReader(message)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (3, .varint(let raw)):
        settings.modelType = raw
      case (24, .varint(let flag)) where flag != 0: throw .unsupportedModel("treat_whitespace_as_suffix")
      case (35, .varint(let flag)): usesByteFallback = flag != 0
      case (46, .bytes(let spelling)): settings.begin = spelling
      case (47, .bytes(let spelling)): settings.end = spelling
      case (48, .bytes(let spelling)): settings.padding = spelling
      default: continue
      }
    }
  }

  private mutating func readNormalizer(_ message: ArraySlice<UInt8>) throws(TokenizerError) {
    var reader = ProtobufReader(message)
    while let (field, value) = try reader.next() {
      switch (field, value) {
      case (2, .bytes(let map)) where !map.isEmpty: throw .unsupportedModel("a normalizer with a character map")
      case (3, .varint(let flag)): addsDummyPrefix = flag != 0
      case (4, .varint(let flag)): removesExtraWhitespace = flag != 0
      case (5, .varint(0)): throw .unsupportedModel("escape_whitespaces = false")
      default: continue
      }
    }
  }

  /// The model as bytes that libsentencepiece loads.
  ///
  /// - Parameters:
  ///   - addsDummyPrefix: written instead of the model's own.
  ///   - controls: tells which pieces are written as control pieces, which no text matches, whatever their type.
  func serialized(
    addsDummyPrefix: Bool, controls: (_ piece: UnsafeBufferPointer<UInt8>, TokenType) -> Bool
  ) -> [UInt8] {
    var writer = ProtobufWriter()
    pieces.withView { pieces in
      // Keys, lengths, score and type take at most 14 bytes.
      writer.reserve((0..<count).reduce(256) { $0 + pieces[$1].count + 14 })
      for token in 0..<count {
        let piece = pieces[token]
        let type = controls(piece, types[token]) ? TokenType.control : types[token]
        writer.append(field: 1, byteCount: 8 + ProtobufWriter.byteCount(varint: piece.count) + piece.count)
        writer.append(field: 1, bytes: piece)
        writer.append(field: 2, float: scores[token])
        writer.append(field: 3, varint: UInt64(type.rawValue))
      }
    }
    var trainer = ProtobufWriter()
    trainer.append(field: 3, varint: Self.bytePairType)
    trainer.append(field: 35, varint: usesByteFallback ? 1 : 0)
    writer.append(field: 2, bytes: trainer.bytes)
    var normalizer = ProtobufWriter()
    normalizer.append(field: 1, bytes: "identity".utf8)
    normalizer.append(field: 3, varint: addsDummyPrefix ? 1 : 0)
    normalizer.append(field: 4, varint: removesExtraWhitespace ? 1 : 0)
    normalizer.append(field: 5, varint: 1)
    writer.append(field: 3, bytes: normalizer.bytes)
    return writer.bytes
  }
}
