// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("How a pet meets what its person feels")
struct SympathyTests {
  private func reply(_ text: String, _ emotion: Emotion) -> Reply {
    Reply(text: text, emotion: emotion, isWellFormed: true)
  }

  @Test("a word for it or the right face and what happened; never the wrong face, nor a word that mocks")
  func shown() {
    let lines = SympathyLines.standard
    let bad = "they cancelled my swimming course"
    for good in [
      reply("I'm sorry about that.", .sad), reply("Oh no! Which course?", .surprised),
      reply("No more swimming, then.", .worried),
    ] { #expect(lines.shows(.hurt, good, to: bad), "\(good.text)") }
    for wrong in [
      reply("I'm sorry about that.", .happy), reply("Swimming is great!", .content), reply("Swimming, then.", .content),
      reply("What colour is it?", .worried), reply("", .sad), reply("I'm sorry. What a good idea.", .sad),
    ] { #expect(!lines.shows(.hurt, wrong, to: bad), "\(wrong.text)") }
    // What is not grave need not be mourned.
    #expect(lines.shows(.mishap, reply("Swimming, then.", .content), to: bad))
    #expect(!lines.shows(.mishap, reply("Then dance.", .content), to: bad))
  }

  @Test(
    "for each temperament there are lines in form that may be said, that meet their own measure, and never twice in a row"
  )
  func lines() throws {
    let standard = SympathyLines.standard
    for (temperament, kinds) in standard.all {
      #expect(Set(kinds.keys) == Set(Sentiment.sorrows.map(\.rawValue)), "\(temperament)")
      for case let (kind, lines) in kinds {
        let sentiment = try #require(Sentiment(rawValue: kind))
        for line in lines {
          let reply = Reply(written: line)
          #expect(reply.isWellFormed && reply.written == line, "\(temperament), \(kind): \(line)")
          #expect(ReplyCheck.standard.verdict(on: reply.text) == .pass, "\(line)")
          #expect(standard.shows(sentiment, reply, to: ""), "\(temperament), \(kind): \(line)")
        }
      }
    }
    let first = try #require(standard.reply(to: .worry, temperament: "shy", choice: 3))
    let second = try #require(standard.reply(to: .worry, temperament: "shy", choice: 3, recent: [first.text]))
    #expect(first.text != second.text)
  }

  @Test("what is built in can be told from none, and from one another")
  func readings() {
    for (line, sentiment) in [
      ("my hamster died this morning", Sentiment.loss), ("i got the job!!", .joy),
      ("i've had a fever and a sore throat since monday", .unwell),
    ] {
      #expect(IntentClassifier.standard.reading(of: line).sentiment == sentiment, "\(line)")
    }
    #expect(IntentClassifier.standard.reading(of: "i got the job!! :(").sentiment == nil)
    #expect(
      IntentClassifier.standard.reading(of: "i've had a fever and a sore throat since monday :)").sentiment == nil)
    for none in ["my hamster died", "gone :( but well :)", "note:Don't", "reasons:(1) rain", "x=(1+2)", ""] {
      #expect(Smiley(in: none) == nil, "\(none)")
    }
    for happy in ["done:)", "we won =)", "\u{1F389}", ":D!"] { #expect(Smiley(in: happy) == .happy, "\(happy)") }
    for sad in ["out of the cup:(", "\u{1F641}\u{FE0F}", "=("] { #expect(Smiley(in: sad) == .sad, "\(sad)") }
    for line in ["the new bins are green", "what is a hamster", "do you like rain"] {
      #expect(IntentClassifier.standard.reading(of: line).sentiment == nil, "\(line)")
    }
  }

  @Test(
    "a file that would leave a pet without words is refused",
    arguments: [
      "{}", #"{"signs": ["x"], "cheerful": [], "grave": {}, "answers": {"plain": {}}}"#,
      #"{"signs": ["a? b"], "cheerful": [], "grave": {}, "answers": {}}"#,
    ])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(SympathyLines.self, from: Data(text.utf8)) }
  }

  @Test(
    "plain words of a loss are one, whatever a classifier makes of the line; what only looks like them is none",
    arguments: [
      ("I lost my job today.", .hurt), ("I got fired", .hurt), ("They laid off half of us, me too.", .hurt),
      ("my grandmother died last night", .loss), ("We lost our home... I lost my little dog.", .loss),
      ("My mum has cancer.", .worry), ("I feel so alone since she left me.", .hurt), ("my dad passed away", .loss),
      ("I lost my keys again", nil), ("my phone died", nil), ("I got fired up for the game", nil),
      ("She left me a note", nil), ("I got a new job!", nil), ("we had pasta", nil),
    ] as [(String, Sentiment?)])
  func plainSorrow(message: String, sentiment: Sentiment?) {
    #expect(SympathyLines.standard.plainSorrow(in: message) == sentiment)
  }
}
