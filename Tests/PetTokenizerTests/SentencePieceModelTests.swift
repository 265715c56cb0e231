// SPDX-License-Identifier: Apache-2.0
import PetTokenizer
import Testing

@Suite struct SentencePieceModelTests {
  @Test func readsWhatTheTrainerWrote() throws {
    let model = try SentencePieceModel(bytes: Fixture.bytes("small-sentencepiece.model"))
    let fixture = try VocabularyFixture(Fixture.bytes("small-sentencepiece.vocabulary"))
    try #require(model.count == fixture.tokens.count)
    for index in 0..<model.count {
      #expect(Array(model.piece(index)) == fixture.tokens[index])
      #expect(model.score(index) == fixture.scores[index])
      #expect(model.type(index).rawValue == fixture.types[index])
    }
    #expect(model.addsDummyPrefix && !model.removesExtraWhitespace)
    #expect(model.usesByteFallback)
    #expect((model.unknown, model.beginOfSequence, model.endOfSequence) == (0, 1, 2))
    #expect(model.padding == nil)
  }

  @Test func refusesCompiledCharacterMaps() throws {
    // normalizer_spec { precompiled_charsmap: "map" }
    let bytes = try Fixture.bytes("small-sentencepiece.model") + [0x1A, 5, 0x12, 3] + Array("map".utf8)
    #expect(throws: TokenizerError.unsupportedModel("a normalizer with a character map")) {
      try SentencePieceModel(bytes: bytes)
    }
  }

  @Test func refusesUnigramModels() throws {
    // trainer_spec { model_type: UNIGRAM }
    let bytes = try Fixture.bytes("small-sentencepiece.model") + [0x12, 2, 0x18, 1]
    #expect(throws: TokenizerError.unsupportedModel("model type 1 (1 is unigram, 2 is BPE)")) {
      try SentencePieceModel(bytes: bytes)
    }
  }

  /// What GGUF cannot say must not be lost on the way.
  @Test func modelsThatRemoveSpacesDoNotBecomeGGUFVocabularies() throws {
    // normalizer_spec { remove_extra_whitespaces: true }
    let removing = try SentencePieceModel(bytes: Fixture.bytes("small-sentencepiece.model") + [0x1A, 2, 0x20, 1])
    #expect(throws: TokenizerError.unsupportedModel("remove_extra_whitespaces inside a GGUF file")) {
      try removing.vocabulary()
    }
    let tokenizer = try SentencePieceTokenizer(removing)
    #expect(try tokenizer.encode(" a  b ") == tokenizer.encode("a b"))
  }

  @Test(arguments: [
    [0x0A], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
    [0x0A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], [0x00, 0x00], [0x0B], [0x0D, 1, 2],
    [0x09, 1, 2, 3, 4, 5, 6, 7],
  ])
  func rejectsWhatIsNoMessage(bytes: [UInt8]) {
    #expect {
      try SentencePieceModel(bytes: bytes)
    } throws: { error in
      guard case .malformedModel? = error as? TokenizerError else { return false }
      return true
    }
  }

  @Test func truncatedModelsThrow() throws {
    let bytes = try Fixture.bytes("small-sentencepiece.model")
    let whole = try SentencePieceModel(bytes: bytes)
    for count in stride(from: 0, to: bytes.count, by: 211) {
      // Cut between two fields the rest is a shorter, well-formed model.
      if let model = try? SentencePieceModel(bytes: Array(bytes[..<count])) { #expect(model.count <= whole.count) }
    }
    #expect(throws: TokenizerError.self) { try SentencePieceModel(bytes: Array(bytes[..<1000])) }
  }

  /// Whatever the damage: an error or a tokenizer that works, and the process lives.
  @Test func damagedModelsThrowOrWork() throws {
    let bytes = try Fixture.bytes("small-sentencepiece.model")
    var random = SplitMix64(state: 5)
    var made = 0
    for _ in 0..<400 {
      var damaged = bytes
      for _ in 0...random.next(below: 3) {
        // Half of the damage goes to the last 700 bytes, where the trainer's and the normalizer's settings are.
        let tail = random.next(below: 2) == 0
        let position = tail ? bytes.count - 1 - random.next(below: 700) : random.next(below: bytes.count)
        damaged[position] = UInt8(random.next(below: 256))
      }
      guard let model = try? SentencePieceModel(bytes: damaged), let tokenizer = try? SentencePieceTokenizer(model)
      else { continue }
      made += 1
      let ids = try tokenizer.encode("Hello  world 12\n\u{1F43E}<|user|>", specials: .parse)
      #expect(ids.allSatisfy { $0 >= 0 && $0 < tokenizer.vocabularySize })
      _ = tokenizer.decode(ids)
    }
    #expect(made > 20)
  }
}

/// Steele, Lea and Flood 2014: reproducible random numbers.
struct SplitMix64 {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(bound))
  }
}
