// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetTokenizer
import Testing

/// Tens of thousands of strings on real vocabularies, which are too large to commit.
///
/// `PET_TOKENIZER_GOLDENS` names the folder that `make_tokenizer_goldens.py compare` has written.
@Suite(.enabled(if: RealGoldens.folder != nil, "set PET_TOKENIZER_GOLDENS to run"))
struct RealVocabularyTests {
  private static func names(endingIn suffix: String) throws -> [String] {
    let folder = try #require(RealGoldens.folder)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
  }

  @Test(arguments: PreTokenizer.allCases)
  func byteLevel(preTokenizer: PreTokenizer) throws {
    let folder = try #require(RealGoldens.folder)
    let fixture = try VocabularyFixture(Fixture.bytes("gguf.vocabulary", in: folder))
    let vocabulary = try fixture.vocabulary(preTokenizer: preTokenizer)
    let clock = ContinuousClock()
    var tokenizer: (any Tokenizer)?
    let construction = try clock.measure { tokenizer = try vocabulary.makeTokenizer() }
    let made = try #require(tokenizer)
    let goldens = try Golden.read(Fixture.bytes("gguf.\(preTokenizer.rawValue).golden", in: folder))
    let encoding = try clock.measure { for golden in goldens { _ = try made.encode(golden.text) } }
    print("\(preTokenizer): \(goldens.count) strings; made in \(construction), strings encoded in \(encoding)")
    try expectEqualIDs(made, goldens, parsing: false)
    try expectEqualIDs(made, goldens, parsing: true)
  }

  @Test func sentencePiece() throws {
    let folder = try #require(RealGoldens.folder)
    for name in try Self.names(endingIn: ".spm") {
      let stem = String(name.dropLast(4))
      let goldens = try Golden.read(Fixture.bytes("\(stem).golden", in: folder))
      let clock = ContinuousClock()
      let model = try SentencePieceModel(bytes: Fixture.bytes(name, in: folder))
      var direct: SentencePieceTokenizer?
      let construction = try clock.measure { direct = try SentencePieceTokenizer(model) }
      print("\(stem): \(goldens.count) strings, \(model.count) pieces; made in \(construction)")
      try expectEqualIDs(try #require(direct), goldens, parsing: false)
      let fixture = try VocabularyFixture(Fixture.bytes("\(stem).vocabulary", in: folder))
      var roles = TokenRoles.defaults(for: .sentencePiece)
      roles.addsSpacePrefix = model.addsDummyPrefix
      try expectEqualIDs(try fixture.vocabulary(roles: roles).makeTokenizer(), goldens, parsing: false)
    }
  }
}

private enum RealGoldens {
  static let folder = ProcessInfo.processInfo.environment["PET_TOKENIZER_GOLDENS"].map { URL(fileURLWithPath: $0) }
}
