// SPDX-License-Identifier: Apache-2.0
import PetTokenizer
import Testing

/// Ids equal those of the reference libraries, on small vocabularies that are committed with the goldens.
@Suite struct GoldenTests {
  @Test(arguments: PreTokenizer.allCases, [false, true])
  func byteLevelIDsEqualTheReference(preTokenizer: PreTokenizer, parsing: Bool) throws {
    let fixture = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary"))
    let tokenizer = try fixture.vocabulary(preTokenizer: preTokenizer).makeTokenizer()
    let goldens = try Golden.read(Fixture.bytes("small-bpe.\(preTokenizer.rawValue).golden"))
    try expectEqualIDs(tokenizer, goldens, parsing: parsing)
  }

  @Test func sentencePieceIDsEqualTheReference() throws {
    let tokenizer = try SentencePieceTokenizer(SentencePieceModel(bytes: Fixture.bytes("small-sentencepiece.model")))
    let goldens = try Golden.read(Fixture.bytes("small-sentencepiece.golden"))
    try expectEqualIDs(tokenizer, goldens, parsing: false)
  }

  @Test(arguments: [false, true])
  func vocabularyInsideAModelFileGivesTheSameIDs(parsing: Bool) throws {
    let fixture = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary"))
    var roles = TokenRoles.defaults(for: .sentencePiece)
    roles.stripsAfterSpecialTokens = true
    let tokenizer = try fixture.vocabulary(roles: roles).makeTokenizer()
    let goldens = try Golden.read(Fixture.bytes("small-sentencepiece.golden"))
    try expectEqualIDs(tokenizer, goldens, parsing: parsing)
  }

  /// Phi-3's files list the unknown piece among the added tokens: a control token by type.
  @Test func theUnknownPieceMayBeAControlToken() throws {
    var fixture = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary"))
    fixture.types[0] = TokenType.control.rawValue
    let tokenizer = try fixture.vocabulary().makeTokenizer()
    let goldens = try Golden.read(Fixture.bytes("small-sentencepiece.golden"))
    try expectEqualIDs(tokenizer, goldens, parsing: false)
    #expect(throws: TokenizerError.unknownPieces(found: 0)) {
      try fixture.vocabulary(roles: TokenRoles()).makeTokenizer()
    }
  }

  @Test(arguments: PreTokenizer.allCases)
  func byteLevelDecodingGivesTheBytesBack(preTokenizer: PreTokenizer) throws {
    let fixture = try VocabularyFixture(Fixture.bytes("small-bpe.vocabulary"))
    let tokenizer = try fixture.vocabulary(preTokenizer: preTokenizer).makeTokenizer()
    for golden in try Golden.read(Fixture.bytes("small-bpe.\(preTokenizer.rawValue).golden")) {
      let bytes = try tokenizer.encode(golden.text).flatMap { tokenizer.bytes(of: $0) }
      // The two bytes that this vocabulary has no token for are left out.
      #expect(bytes == golden.text.filter { $0 != 0x04 && $0 != 0xFF })
    }
  }
}
