// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("What a pet does not understand")
struct ComprehensionTests {
  private let rules = ComprehensionRules.standard

  @Test(
    "other languages, by their words, with and without accents",
    arguments: [
      ("Hallo, wie geht es dir?", "German"), ("¿Tienes hambre?", "Spanish"), ("Bonjour mon petit chat", "French"),
      ("Come stai oggi?", "Italian"), ("jak sie masz", "Polish"), ("Hoe gaat het met je?", "Dutch"),
      ("Olá, tudo bem?", "Portuguese"), ("ola tudo bem", "Portuguese"), ("Merhaba, nasılsın?", "Turkish"),
      ("MERHABA NASILSIN", "Turkish"), ("Hej, hur mår du?", "Swedish"), ("apa kabar?", "Indonesian"),
      ("J'ai faim, et toi?", "French"), ("Je suis tre\u{300}s fatigue\u{301}e", "French"),
    ])
  func languages(_ line: String, _ language: String) {
    #expect(rules.judge(line) == .otherLanguage(language))
  }

  @Test(
    "English is understood, with a word of another language, names, laughter and signs in it",
    arguments: [
      "hello", "bonjour is French for hello", "thanks amigo", "my name is Ella Mayer", "ha ha ha", "la la la", "ok",
      "I'm on a diet, no sugar", "Come on in!", "die, zombie!", "pies and chat", "", "🎉 yay", "42", "1 + 1",
      "asdfghjkl", "5 🍕?",
      "It's a dove!", "I'm Bella", "Bella", "I go to MIT", "I dig it", "It's bent", "My heel", "Is it soy?", "I'm Les",
      "it's a boa",
      "the AC is on", "¯\\_(ツ)_/¯", "π", "har har har",
      "𝓱𝓮𝓵𝓵𝓸 𝓽𝓱𝓮𝓻𝓮", "ｈｅｌｌｏ", "Beyoncé has a café", "is that a кот?", "<b>bold</b>", "SELECT * FROM pets;",
    ])
  func english(_ line: String) {
    #expect(rules.judge(line) == .understood)
  }

  @Test(
    "letters that are not Latin",
    arguments: [
      "Привет, как дела?", "你好吗?", "こんにちは、元気?", "안녕, 뭐 해?", "مرحبا كيف حالك", "नमस्ते, कैसे हो?", "γεια σου", "שלום",
    ])
  func letters(_ line: String) {
    #expect(rules.judge(line) == .otherLetters)
  }

  @Test("of 39,814 lines that people wrote to pets hardly one is taken for another language that is not")
  func bank() {
    let bank = ReplyBank.builtIn
    let other = (0..<bank.count).map { bank.exchange($0).line }.filter {
      if case .otherLanguage = rules.judge($0) { true } else { false }
    }
    #expect(Set(other).count < 100, "\(Set(other).sorted())")
  }

  @Test("what is no word: emoji by their names, a mark or dots, other signs")
  func wordless() {
    #expect(rules.judge("🍕🍕 😋") == .emoji(["slice of pizza", "face savouring delicious food"], isSad: false))
    #expect(rules.judge("😭💔") == .emoji(["loudly crying face", "broken heart"], isSad: true))
    #expect(rules.judge("😂") == .emoji(["face with tears of joy"], isSad: false))
    #expect(rules.judge("❤️☀️") == .emoji(["heart", "sun with rays"], isSad: false))
    // A flag, a family of several signs, a hand of a colour.
    #expect(rules.judge("🇫🇷👨‍👩‍👧👋🏽") == .emoji(["flag", "man", "waving hand"], isSad: false))
    for line in ["...", "?", "…", " ?! "] { #expect(rules.judge(line) == .silence) }
    for line in ["&%$#@!!*", "(°□°)", "\\//\\//"] { #expect(rules.judge(line) == .signs, "\(line)") }
    let reply = rules.reply(to: rules.judge("🍕🦀🌊🐶"), temperament: "wise", choice: 0)
    #expect(reply?.text.contains("a slice of pizza, a crab and a water wave") == true)
  }

  @Test("a page is more than a small model can hold")
  func long() {
    #expect(rules.judge(String(repeating: "word ", count: 96)) == .understood)
    #expect(rules.judge(String(repeating: "word ", count: 97)) == .tooLong)
    #expect(rules.judge(String(repeating: "\u{301}", count: 1 << 20)) == .tooLong)
  }

  @Test("for each temperament there are answers in form, that name the language")
  func answers() throws {
    for (temperament, kinds) in rules.all {
      for case let (kind, lines) in kinds {
        for line in lines {
          let written = line.replacing("{hello}", with: "Hallo").replacing("{language}", with: "German")
            .replacing("{emoji}", with: "a crab")
          let reply = Reply(written: written)
          #expect(reply.isWellFormed && reply.written == written, "\(temperament), \(kind): \(line)")
          #expect(["language", "emoji", "sad_emoji"].contains(kind) == (written != line), "\(line)")
          #expect(reply.actions.allSatisfy(PetAction.allCases.contains), "\(line)")
        }
      }
    }
    let german = try #require(
      rules.reply(to: .otherLanguage("German"), temperament: "shy", choice: 0, last: nil))
    let again = try #require(
      rules.reply(to: .otherLanguage("German"), temperament: "shy", choice: 0, last: german.text))
    #expect(german.text != again.text && german.text.contains("Hallo") && again.text.contains("German"))
    #expect(rules.reply(to: .understood, temperament: "shy", choice: 0) == nil)
  }

  @Test(
    "a file without words or answers is refused",
    arguments: ["{}", #"{"languages": {}, "never": "", "answers": {}}"#, #"{"languages": {}, "never": ""}"#])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(ComprehensionRules.self, from: Data(text.utf8)) }
  }
}
