// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import PetTokenizer

/// Texts that models and their makers write.
enum TextDoors {
  /// The chat template of a file; it is recognized and never run.
  static func template(_ bytes: [UInt8]) throws {
    let source = String(decoding: bytes, as: UTF8.self)
    let template = try ChatTemplate(recognizing: source, addsBeginOfSequence: bytes.count.isMultiple(of: 2))
    _ = template.opening(system: source)
    _ = template.userTurn(source, at: .first) + template.userTurn(source, at: .later)
    _ = template.systemTurn(source)
  }

  /// Byte pieces, so that every text has tokens, and some that end inside a character.
  private static let tokenizer: any Tokenizer = {
    let marks = ["<unk>", "<s>", "</s>"].map { Array($0.utf8) }
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    let bytes = (0..<256).map { Array("<0x".utf8) + [hexadecimal[$0 >> 4], hexadecimal[$0 & 15]] + Array(">".utf8) }
    let pieces = ["▁", "a", "b", "▁a", "ab", "é", "▁▁"].map { Array($0.utf8) }
    do {
      return try Vocabulary(
        algorithm: .sentencePiece, tokens: TokenTable(marks + bytes + pieces),
        scores: (0..<marks.count + bytes.count + pieces.count).map { -Float($0) },
        types: [2, 3, 3] + bytes.map { _ in 6 } + pieces.map { _ in 1 },
        roles: .defaults(for: .sentencePiece)
      ).makeTokenizer()
    } catch {
      fatalError("\(error)")
    }
  }()

  /// Tokens in any order give the text that all their bytes together are, whatever they are cut into. Two bytes are a token.
  static func detokenizer(_ bytes: [UInt8]) {
    let ids = stride(from: 0, to: bytes.count - 1, by: 2).map { Int32(bytes[$0]) | Int32(bytes[$0 + 1] & 3) << 8 }
    var stream = StreamingDetokenizer(tokenizer, showingSpecials: true, strippingLeadingSpace: false)
    let text = ids.map { stream.append($0) }.joined() + stream.flush()
    let all = ids.flatMap { tokenizer.bytes(of: $0) }
    precondition(Array(text.utf8) == Array(String(decoding: all, as: UTF8.self).utf8), "bytes are lost")
    // The same bytes as a text; the library's mark for a space becomes one.
    guard let ids = try? tokenizer.encode(bytes) else { return }
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains("\u{2581}") {
      precondition(Array(tokenizer.decode(ids).utf8) == bytes, "a text is not what it was")
    }
  }

  /// What a model answers, in pieces; the first byte says of what length.
  static func reply(_ bytes: [UInt8]) {
    let length = max(1, Int(bytes.first ?? 1) & 15)
    let text = Array(String(decoding: bytes.dropFirst(), as: UTF8.self))
    var reader = ReplyReader()
    var shown = ""
    for start in stride(from: 0, to: text.count, by: length) {
      shown += reader.append(String(text[start..<min(text.count, start + length)]))
    }
    let reply = reader.finish()
    precondition(reply.text == shown && reply.actions.count <= 2, "another text than was shown")
    _ = ReplyCheck.standard
    _ = ToolReply(String(text))
  }
}
