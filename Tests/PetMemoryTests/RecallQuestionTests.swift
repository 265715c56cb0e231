// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import SeededGenerator
import Testing

@Suite("Questions for what was told")
struct RecallQuestionTests {
  private let question = RecallQuestion()
  private let lines = RecallLines()
  private let today = CivilDay(at: Fixture.now)

  private static let told = Result {
    try Known.facts([
      "my name is Ada", "I'm 34", "my birthday is on March 3", "I live in Lisbon", "I work as a nurse",
      "my sister Anna is 6",
      "I have a dog named Rex", "I have a cat called Pickle", "I hate olives", "I hate loud parties",
      "I don't like rain", "I love jazz",
      "my favourite colour is teal", "I'm allergic to peanuts", "I'm afraid of spiders",
      "tomorrow I have a driving test",
      "I play the cello", "I speak Portuguese", "my lucky number is 17", "I have two brothers",
      "my aunt Eve is 70 years old",
    ])
  }
  private let told: [Fact]

  init() throws { told = try Self.told.get() }

  private func finding(_ message: String, among facts: [Fact]? = nil) -> RecallFinding {
    question.finding(in: message, among: facts ?? told, pet: "Mochi", today: today, at: Fixture.now)
  }

  private func answer(_ message: String, among facts: [Fact]? = nil) -> String? {
    lines.reply(to: finding(message, among: facts), choice: 0)
  }

  @Test("who asks for everything is told twelve things, and how many more there are")
  func everything() throws {
    let said = try #require(answer("what do you know about me?"))
    #expect(said.contains("9 things more") && said.contains("Ada") && said.contains("Anna"), "\(said)")
    let few = try Known.facts(["my name is Ada", "my sister Anna is 6"])
    #expect(answer("what do you know about me?", among: few)?.contains("more") == false)
  }

  @Test("who asks for a sister is not told of a brother")
  func sister() throws {
    let facts = try Known.facts(["my brother Tom is allergic to peanuts"])
    #expect(answer("what do you know about my sister?", among: facts)?.contains("Tom") == false)
    #expect(answer("what do you know about my brother?", among: facts)?.contains("Tom") == true)
  }

  @Test("what was told last time is what the conversation before this one told")
  func lastTime() throws {
    let day: Int64 = 86_400
    var facts = try Known.facts(["I hate olives", "I love jazz", "I speak Portuguese", "I play the cello"])
    for (index, start) in zip(
      facts.indices, [Fixture.now - 9 * day, Fixture.now - day, Fixture.now - day, Fixture.now])
    {
      facts[index].source.conversation = "\(start)"
    }
    func said(_ facts: [Fact]) -> String? {
      lines.reply(
        to: question.finding(
          in: "what did we talk about last time?", among: facts, pet: "Mochi", today: today, at: Fixture.now,
          conversation: "\(Fixture.now)"), choice: 1)
    }
    #expect(said(facts) == "That was yesterday. I kept it: you like jazz and you speak Portuguese. {happy; tilt_head}")
    #expect(said(Array(facts.suffix(1)))?.contains("earlier visit") == true)
  }

  @Test("what is asked of oneself is not answered with what is known of others")
  func ofOneself() throws {
    let others = ["my sister's name is Anna", "my dog is 4 years old", "my brother works as a nurse"]
    let facts = try Known.facts(others)
    for (message, miss) in [
      ("what is my name?", "your name"), ("how old am I?", "how old you are"), ("what is my job", "what your work is"),
    ] {
      #expect(finding(message, among: facts) == .unknown(miss, isOfOneself: true))
    }
  }

  @Test(
    "are answered from memory, to the person",
    arguments: [
      ("what is my name", "Your name is Ada."), ("wats my name mochi??", "Your name is Ada."),
      ("Hey Mochi! Do you remember what my name is?", "Your name is Ada."),
      ("do you still know me", "Your name is Ada."),
      ("how old am i", "You're 34."), ("can you tell me how old I am?", "You're 34."),
      ("when is my birthday", "Your birthday is March 3."), ("do you remember where I live", "You live in Lisbon."),
      ("what do i do for a living", "You work as a nurse."), ("whats my sisters name", "Your sister Anna is 6."),
      ("how old is Anna", "Your sister Anna is 6."), ("how old is my sister", "Your sister Anna is 6."),
      ("who is Anna?", "Your sister Anna is 6."),
      ("whats my dogs name", "You have a dog named Rex."),
      ("what pets do I have?", "You have a cat named Pickle and a dog named Rex."),
      ("what do i hate", "You hate rain, loud parties and olives."),
      ("what's my favourite colour", "Your favourite colour is teal."),
      ("what food cant i eat", "You're allergic to peanuts."), ("what am i scared of", "You're afraid of spiders."),
      ("what am i doing tomorrow", "You have a driving test on November 24."),
      ("when is my driving test?", "You have a driving test on November 24."),
      ("do you know what i play", "You play the cello."), ("what instrument do I play?", "You play the cello."),
      ("which language do i speak", "You speak Portuguese."), ("what's my lucky number?", "Your lucky number is 17."),
      ("what did I tell you about my sister", "Your sister Anna is 6."),
      ("how many brothers do I have?", "You have two brothers."), ("do I like olives?", "You hate olives."),
    ])
  func answered(message: String, expected: String) throws {
    let said = try #require(answer(message), "\(message)")
    #expect(said.lowercased().contains(expected.dropLast().lowercased()), "\(message): \(said)")
    #expect(said.hasSuffix("}") && said.contains(" {"), "\(said)")
  }

  @Test("of what was not told the pet says so, and asks")
  func unknown() {
    #expect(finding("what's my name?", among: []) == .unknown("your name", isOfOneself: true))
    #expect(finding("whats my brothers name") == .unknown("your brother's name", isOfOneself: false))
    #expect(finding("do you know my favourite film") == .unknown("your favourite film", isOfOneself: true))
    #expect(finding("how old is my dog") == .unknown("how old your dog is", isOfOneself: false))
    #expect(finding("what sport do i play") == .unknown("which sport you play", isOfOneself: true))
    #expect(finding("what do you know about me", among: []) == .unknown("much about you", isOfOneself: true))
  }

  @Test(
    "other messages are the model's",
    arguments: [
      "", "?", "mochi", "what is your name", "what's your favourite colour?", "my name is Ada", "my name", "me",
      "about me", "do i look good",
      "what should i eat", "what can i do about my job", "where is my dog", "why do i hate rain",
      "who is the president",
      "how old is the universe", "how old is Paris", "what do i do with my dog", "what is wrong with my dog",
      "what is my dog doing",
      "if I hate olives what do i eat?", "I live in Lisbon. where do you live?", "what's my favourite thing about you",
      "do you like what I hate", "guess my age", "who is this", "where's my car", "what does a dog say",
      "what do i say to a dog",
      "i told you what my name is", "my dog asks what my name is", "what did we learn today", "can i have a dog",
      "how many dogs are there",
    ])
  func others(message: String) { #expect(finding(message) == .notAsked) }

  @Test("of three hundred ordinary lines only the two that are such questions are taken for them")
  func ordinary() throws {
    let lines = try JSONDecoder().decode([String].self, from: Fixture.data("ordinary.json"))
    #expect(lines.count == 300)
    #expect(lines.filter { finding($0) != .notAsked } == ["and who do i live with", "what do my friends call me"])
  }

  @Test("of two who are meant alike both are told; what is no longer so is not")
  func several() throws {
    var facts = try Known.facts(["I have a dog named Rex", "I have a dog named Bella"])
    #expect(answer("what's my dog's name", among: facts)?.contains("a dog named Bella and a dog named Rex") == true)
    facts[1].expires = Fixture.now
    #expect(answer("what's my dog's name", among: facts)?.contains("Bella") == false)
    facts[0].supersededBy = 2
    #expect(finding("what's my dog's name", among: facts) == .unknown("your dog's name", isOfOneself: false))
  }

  @Test("answers vary with the choice, and carry no mark of the person's own")
  func variety() throws {
    let name = self.finding("what's my name", among: try Known.facts(["my name is Ada"]))
    #expect(Set((0..<8).map { lines.reply(to: name, choice: $0) }).count >= 3)
    #expect(lines.reply(to: name, choice: .max) != nil)
    let odd = Fixture.fact(.name, value: "{x}", text: "user's name is {sad; cry}")
    let said = try #require(lines.reply(to: .known([odd], lines: "name"), choice: 0))
    #expect(said.count { $0 == "{" } == 1)
    #expect(lines.reply(to: .unknown("your {sad}", isOfOneself: true), choice: 0)?.count { $0 == "{" } == 1)
  }

  @Test("hostile text ends soon")
  func hostile() {
    var random = SeededGenerator(seed: 3)
    let words = [
      "what", "is", "my", "name", "sister", "'s", "do", "i", "remember", "you", "?", ",", "{", "\u{202E}", "🦊", "34",
      "monday", "dog",
    ]
    for _ in 0..<500 {
      let count = Int.random(in: 1...60, using: &random)
      let line = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
      _ = answer(line)
    }
    #expect(finding(String(repeating: "what is my name ", count: 100_000)) == .notAsked)
  }
}
