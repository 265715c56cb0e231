// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import SeededGenerator
import Testing

@Suite("Facts in what is said")
struct FactExtractorTests {
  private struct Said: Decodable {
    let facts: [[String]]
    let nothing: [String]
  }

  private let said: Said
  private let extractor = FactExtractor()

  init() throws { said = try JSONDecoder().decode(Said.self, from: Fixture.data("said.json")) }

  private func texts(_ message: String, after last: Fact? = nil) throws -> [String] {
    extractor.proposals(from: try Fixture.turn(message), after: last).map(\.text)
  }

  @Test("statements give the fact, in the words of the models")
  func statements() throws {
    for pair in said.facts {
      #expect(try texts(pair[0]) == [pair[1]], "\(pair[0])")
    }
  }

  @Test("what is asked, wished, denied, quoted, joked, secret or unfinished gives nothing")
  func nothing() throws {
    for line in said.nothing { #expect(try texts(line) == [], "\(line)") }
  }

  @Test("a question mark, a condition or a quotation takes every statement away")
  func guards() throws {
    for pair in said.facts {
      let plain = pair[0].trimming(".!")
      for line in ["\(plain)?", "if \(plain)", "she said \(plain)", "I wish \(plain)", "\(plain). just kidding"] {
        #expect(try texts(line) == [], "\(line)")
      }
    }
  }

  @Test(
    "a common name in small letters is one where it is said as one",
    arguments: ["im jo", "hi im jo", "hey there, its jo", "i am jo, 34, from hull", "hello jo here", "the name is jo"])
  func smallNames(_ line: String) throws { #expect(try texts(line).contains("user's name is Jo"), "\(line)") }

  @Test(
    "and none elsewhere",
    arguments: [
      "im knackered", "jo is here", "im with jo", "my friend jo here", "im jo's sister", "is it jo here?", "im not jo",
    ])
  func noNames(_ line: String) throws {
    #expect(!(try texts(line).contains { $0.hasPrefix("user's name") }), "\(line)")
  }

  @Test(
    "a message that is one plain fact and nothing else",
    arguments: [
      ("My name is Ada", "user's name is Ada"), ("hi, I live in Lyon!", "lives in Lyon"),
      ("I work as a bus driver", "works as a bus driver"), ("I love thunderstorms", "likes thunderstorms"),
      ("my dog is called Rex", "has a dog named Rex"), ("I play the drums.", "plays the drums"),
      ("I hate loud music", "hates loud music"), ("my birthday is in March", "birthday is in March"),
    ])
  func onlyFact(_ line: String, _ text: String) throws {
    #expect(extractor.onlyFact(of: try Fixture.turn(line))?.text == text)
    for more in ["\(line)?", "\(line). I am sad.", "\(line) and I miss my gran", "if \(line)", ""] {
      #expect(extractor.onlyFact(of: try Fixture.turn(more)) == nil, "\(more)")
    }
  }

  @Test(
    "what is said in pain, of others or in passing is no plain fact",
    arguments: [
      "I hate my life", "I hate everyone", "I hate people", "I love you", "I hate living here", "I love how you talk",
      "my sister's name is Lena and she is ill", "I don't live in Rome anymore", "just kidding, I love fog",
    ])
  func noPlainFact(_ line: String) throws {
    #expect(extractor.onlyFact(of: try Fixture.turn(line)) == nil)
  }

  @Test("several facts in one message, of one whom they speak of")
  func several() throws {
    #expect(
      try texts(
        "Hi! My name is Ada and I live in Rome. My sister Anna came, she is 6. I don't like rain but I love fog")
        == [
          "user's name is Ada", "lives in Rome", "sister is named Anna", "sister is 6", "hates rain", "likes fog",
        ])
  }

  @Test("a correction changes the last fact, and only what can be its value")
  func corrections() throws {
    let name = Fixture.fact(.name, value: "Ana", text: "user's name is Ana", isSingle: true)
    #expect(try texts("actually it's Ada", after: name) == ["user's name is Ada"])
    #expect(try texts("Actually, it's Ada", after: name) == ["user's name is Ada"])
    #expect(try texts("no, I meant Ada", after: name) == ["user's name is Ada"])
    #expect(try texts("no wait, it's Ada", after: name) == ["user's name is Ada"])
    #expect(try texts("oops, it's Ada", after: name) == ["user's name is Ada"])
    #expect(try texts("actually it's raining", after: name) == [])
    #expect(try texts("Actually, it's Ada") == [])
    let exam = Fixture.fact(.event, value: "an exam", text: "has an exam on November 24")
    #expect(try texts("no, it's on Friday", after: exam) == ["has an exam on November 27"])
    let age = Fixture.fact(.age, value: "33", text: "user is 33", isSingle: true)
    #expect(try texts("sorry, I meant 34", after: age) == ["user is 34"])
    #expect(try texts("sorry, I meant 340", after: age) == [])
    // Who says no to something else means no name.
    #expect(try texts("Not today, Mochi", after: name) == [])
    #expect(try texts("not Ana, Ada", after: name) == ["user's name is Ada"])
    let talk = Fixture.fact(.event, value: "a talk on whales", text: "has a talk on whales on November 24")
    #expect(try texts("no, it's on Friday", after: talk) == ["has a talk on whales on November 27"])
  }

  @Test("no more words of a sentence count than its limit, also where one is short for several")
  func longestSentence() throws {
    let plain = try texts("We painted the green umbrellas.")
    #expect(plain.count == 1)
    // With the comma, 79 of 80.
    let start = "We painted the green umbrellas, " + String(repeating: "blue ", count: 73)
    for last in ["need not", "needn't", "won't", "xxx" + String(repeating: "n't", count: 1000)] {
      #expect(try texts(start + last) == plain, "\(last.prefix(9))")
      #expect(try texts(String(start.dropLast(5)) + last) == [], "\(last.prefix(9))")
    }
  }

  @Test("an interrupted turn cannot be learned from")
  func interrupted() {
    let day = CivilDay(number: 0)
    #expect(
      CompletedTurn(said: "my name is A", finished: false, conversation: "", number: 1, time: 0, today: day) == nil)
  }

  @Test("hostile text ends soon, in short lines without controls")
  func hostile() throws {
    var random = SeededGenerator(seed: 7)
    let words =
      said.facts.flatMap { $0[0].split(separator: " ").map(String.init) } + [
        "\u{202E}", "\u{0}", "{name}", "\n", "🦊", "“", "?", ",",
      ]
    let long = String(repeating: "my name is Ada and i have a ", count: 20_000)
    var lines = [long, String(repeating: "a", count: 1_000_000), String(repeating: "my ", count: 50_000)]
    for _ in 0..<300 {
      var line: [String] = []
      for _ in 0..<Int.random(in: 1...60, using: &random) { line.append(words.randomElement(using: &random) ?? "") }
      lines.append(line.joined(separator: " "))
    }
    for line in lines {
      for proposal in extractor.proposals(from: try Fixture.turn(line)) {
        #expect(proposal.text.count <= FactProposal.longestText && !proposal.value.isEmpty)
        #expect(proposal.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
      }
    }
  }
}
