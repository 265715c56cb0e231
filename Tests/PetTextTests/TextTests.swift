// SPDX-License-Identifier: Apache-2.0
import PetText
import Testing

@Suite("Words and spaces of a text")
struct TextTests {
  @Test("words are what the allowed characters make, in small letters")
  func words() {
    let text = "Don’t stop-it, it's 2 Cafés!"
    #expect(text.words(of: .letters) == ["don", "t", "stop", "it", "it", "s", "cafés"])
    #expect(text.words(of: [.letters, .numbers, .apostrophe]) == ["don", "t", "stop", "it", "it's", "2", "cafés"])
    #expect(text.words(of: [.letters, .curlyApostrophe]) == ["don’t", "stop", "it", "it", "s", "cafés"])
    #expect(" .,! ".words(of: [.letters, .numbers]).isEmpty)
  }

  @Test("a chunk is its word and the marks around it; without a word all of it is marks")
  func marked() {
    let quoted = MarkedWord("(\"well-made\",)"[...])
    #expect(quoted.opening == "(\"" && quoted.core == "well-made" && quoted.closing == "\",)")
    let marks = MarkedWord("--"[...])
    #expect(marks.opening == "--" && marks.core.isEmpty && marks.closing == "--")
    #expect(MarkedWord("$5."[...], isInner: { $0 == "$" || $0.isNumber }).core == "$5")
  }

  @Test("white space at the ends goes, and a run of it becomes one space")
  func spaces() {
    #expect(" \t a b\u{A0}\n".trimmed == "a b" && " \n".trimmed.isEmpty)
    #expect(" \u{301}a".trimmed == "\u{301}a")
    #expect("\n a \t\u{2003}b  ".singleSpaced == "a b")
    #expect(Array("\u{B} a b\r\n".utf8).trimmedText == "a b" && "  ".utf8.trimmedText.isEmpty)
  }

  @Test("letters that are drawn out are cut to one or two, others stay")
  func runs() {
    func cut(_ text: String, _ count: Int, of isCut: (UInt8) -> Bool = { _ in true }) -> String {
      String(decoding: text.utf8.cuttingRuns(to: count, of: isCut), as: UTF8.self)
    }
    #expect(cut("hiiii llama 1000", 1) == "hi llama 10")
    #expect(cut("goooood", 2) == "good")
    #expect(cut("soooo 1000", 1, of: \.isASCIISmall) == "so 1000")
  }

  @Test("lists end with \"and\", sentences begin with a capital, braces go")
  func phrases() {
    #expect(["rain", "fog", "wind"].listed == "rain, fog and wind")
    #expect(["rain", "fog"].listed == "rain and fog" && ["rain"].listed == "rain" && [String]().listed.isEmpty)
    #expect("ßa".sentenceCased == "SSa" && "".sentenceCased.isEmpty)
    #expect("{a{b}}".withoutBraces == "ab")
  }

  @Test("a beginning ends where a sentence does, and the sentences together are the text")
  func sentences() {
    let text = "One. Two! Three"
    #expect(text.sentences == ["One.", " Two!", " Three"])
    #expect(text.sentences(limit: 11) == "One. Two!" && text.sentences(limit: 3).isEmpty)
  }
}
