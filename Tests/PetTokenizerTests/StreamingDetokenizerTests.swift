// SPDX-License-Identifier: Apache-2.0
import PetTokenizer
import Testing

@Suite struct StreamingDetokenizerTests {
  private static func decodings(_ name: String) throws -> [(ids: [Int32], text: String)] {
    try Fixture.bytes(name).split(separator: 0x0A).map { line in
      let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
      let swapped = Array(fields[1]) + [0x09] + Array(fields[0]) + [0x09] + Array("-".utf8)
      let golden = try #require(try Golden.read(swapped).first)
      return (golden.ids, String(decoding: golden.text, as: UTF8.self))
    }
  }

  @Test func textEqualsTheReference() throws {
    let byteLevel = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary")).vocabulary().makeTokenizer()
    for (ids, text) in try Self.decodings("small-bpe.decoding") { #expect(byteLevel.decode(ids) == text) }
    let pieces = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary")).vocabulary().makeTokenizer()
    for (ids, text) in try Self.decodings("small-sentencepiece.decoding") { #expect(pieces.decode(ids) == text) }
  }

  /// Whatever the bytes and wherever tokens cut them, the pieces joined are the text decoded at once.
  @Test(arguments: ["small-bpe.smollm.golden", "small-bpe.gpt-2.golden"])
  func neverEmitsHalfACharacter(name: String) throws {
    let tokenizer = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary")).vocabulary().makeTokenizer()
    var byteTokens: [UInt8: Int32] = [:]
    for id in 0..<Int32(tokenizer.vocabularySize) where tokenizer.bytes(of: id).count == 1 {
      byteTokens[tokenizer.bytes(of: id).first ?? 0] = id
    }
    for golden in try Golden.read(Fixture.bytes(name)) {
      let bytes = golden.text.filter { byteTokens[$0] != nil }
      let whole = String(decoding: bytes, as: UTF8.self)
      let isValid = Array(whole.utf8) == bytes
      var detokenizer = StreamingDetokenizer(tokenizer)
      var text = ""
      for byte in bytes {
        let part = detokenizer.append(try #require(byteTokens[byte]))
        if isValid { #expect(!part.unicodeScalars.contains("\u{FFFD}") || whole.unicodeScalars.contains("\u{FFFD}")) }
        text += part
      }
      text += detokenizer.flush()
      #expect(Array(text.utf8) == Array(whole.utf8))
    }
  }

  @Test func holdsACharacterBackUntilItIsComplete() throws {
    let tokenizer = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary")).vocabulary().makeTokenizer()
    func byte(_ value: Int) throws -> Int32 {
      try #require((0..<Int32(tokenizer.vocabularySize)).first { Array(tokenizer.bytes(of: $0)) == [UInt8(value)] })
    }
    var detokenizer = StreamingDetokenizer(tokenizer)
    #expect(try [0xF0, 0x9F, 0xA6].map { detokenizer.append(try byte($0)) } == ["", "", ""])
    #expect(detokenizer.append(try byte(0x96)) == "🦖")
    #expect(detokenizer.append(try byte(0xE2)) == "")
    #expect(detokenizer.flush() == "\u{FFFD}")
    #expect(detokenizer.flush() == "")
  }

  @Test func hidesSpecialTokensUnlessAsked() throws {
    let tokenizer = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary")).vocabulary().makeTokenizer()
    let ids = try tokenizer.encode("a<|im_end|>b", specials: .parse)
    #expect(ids.count == 3)
    #expect(tokenizer.decode(ids) == "ab")
    #expect(tokenizer.decode(ids, showingSpecials: true) == "a<|im_end|>b")
    #expect(tokenizer.decode([-1, Int32.max, Int32.min]) == "")
  }

  @Test func sentencePieceTextComesBack() throws {
    let tokenizer = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary")).vocabulary().makeTokenizer()
    for golden in try Golden.read(Fixture.bytes("small-sentencepiece.golden")) {
      let text = String(decoding: golden.text, as: UTF8.self)
      // SentencePiece spells a space as U+2581, so that character itself comes back as a space.
      guard Array(text.utf8) == golden.text, !text.unicodeScalars.contains("\u{2581}") else { continue }
      #expect(Array(tokenizer.decode(golden.ids).utf8) == golden.text)
    }
  }
}
