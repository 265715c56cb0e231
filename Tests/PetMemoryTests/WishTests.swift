// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("What a message wants done with what is remembered")
struct WishTests {
  private static let today = CivilDay(number: 20_000)

  /// What rules learn from these lines.
  private static func facts(_ lines: [String]) async throws -> [Fact] {
    let store = try MemoryStore.inMemory()
    for (number, line) in lines.enumerated() {
      let turn = CompletedTurn(
        said: line, finished: true, conversation: "", number: number + 1, time: 100, today: today)
      try await store.learn(from: try #require(turn))
    }
    return try await store.facts(at: 100)
  }

  private static let lines = [
    "my name is Lena", "my brother Tom is allergic to peanuts", "my sister Anna lives in Oslo",
    "I work nights at the bakery in Leeds",
    "I hate liquorice",
  ]

  private func wish(_ message: String, last: [Fact] = []) async throws -> MemoryWish? {
    WishReader().wish(in: message, among: try await Self.facts(Self.lines), last: last, pet: "Mochi")
  }

  private func forgotten(_ message: String) async throws -> [String]? {
    guard case .forget(let facts, _) = try await wish(message) else { return nil }
    return facts.map(\.text)
  }

  @Test(
    "it names what is to be forgotten, in many words",
    arguments: [
      "please forget what i said about my brother", "Can you forget everything I told you about my brother?",
      "forget all you know about Tom", "mochi, please forget about my brother",
      "delete what you know about my brother pls",
      "I want you to forget what I told you about Tom.",
      "i told you too much. please forget what i said about my brother",
      "stop remembering my brother", "don't remember anything about my brother",
      "put my brother out of your mind, you never heard that from me", "wipe my brother off your memory",
      "you never heard about my brother, ok", "take tom out of your head please",
    ])
  func brother(_ message: String) async throws {
    #expect(try await forgotten(message) == ["brother Tom is allergic to peanuts"])
  }

  @Test(
    "and what is of the kind that it names",
    arguments: zip(
      [
        "please forget what I said about my job", "forget what i told you about liquorice",
        "forget what you know about my sister",
      ],
      ["works nights at the bakery in Leeds", "hates liquorice", "sister Anna lives in Oslo"]))
  func kinds(_ message: String, _ fact: String) async throws { #expect(try await forgotten(message) == [fact]) }

  @Test(
    "who asks to keep it wishes nothing",
    arguments: [
      "please do not forget my brother", "don't ever forget my brother", "I never want you to forget my brother",
      "never forget what i said about my brother", "forget nothing about my brother",
    ])
  func keeping(_ message: String) async throws {
    #expect(try await wish(message) == nil && WishReader().asksToKeep(message) && !WishReader().isMeant(message))
  }

  @Test(
    "but who regrets it, or asks why it is kept, does",
    arguments: [
      "i should not have said that, forget what i said about my brother",
      "i should not have said that forget what i said about my brother", "why don't you forget about my brother",
    ])
  func regret(_ message: String) { #expect(!WishReader().asksToKeep(message)) }

  @Test(
    "all but something is not clear",
    arguments: [
      "forget everything except my name", "forget everything but my brother", "erase all of it apart from Tom",
    ])
  func allBut(_ message: String) async throws { #expect(try await wish(message) == .unclear) }

  @Test("a letter, or the beginning of a word, names nothing")
  func letters() async throws {
    let store = try MemoryStore.inMemory()
    let turn = CompletedTurn(
      said: "i live in Leeds w my wife Ania", finished: true, conversation: "", number: 1, time: 100, today: Self.today)
    try await store.learn(from: try #require(turn), inWords: true)
    let known = try await store.facts(at: 100)
    let wish = WishReader().wish(in: "forget the thing w dave and the money", among: known, last: [])
    if case .forget(let facts, _) = wish { Issue.record("\(facts)") }
    #expect(try await forgotten("please forget what i said about my brotherhood") == nil)
  }

  @Test("yes is yes where nothing speaks against it")
  func yes() {
    for message in [
      "yes", "yes please", "sure", "yes, forget everything", "yes please do", "ok", "sure, go ahead", "Yes. Do it.",
      "of course",
      "please do", "yes i want you to forget it all", "do it mochi", "I am very sure",
    ] {
      #expect(WishReader().isYes(message, pet: "Mochi"), "\(message)")
    }
    for message in [
      "no yes", "no, I am sure", "no, wait, yes", "wait, do it", "not everything", "do you", "you sure", "are you sure",
      "I am okay",
      "do i want that", "all good", "thanks", "ok, but not my name", "what", "",
    ] {
      #expect(!WishReader().isYes(message, pet: "Mochi"), "\(message)")
    }
  }

  @Test(
    "what no letters name, or opens something, is nothing that was told",
    arguments: [
      ("forget what i said about 🦊", MemoryWish.unclear),
      ("forget my password", .nothing(topic: "your password", words: "my password", isHush: false, isSure: true)),
      ("forget my salary", .unclear),
    ])
  func unread(_ message: String, _ wish: MemoryWish) async throws {
    let known = try await Self.facts(Self.lines)
    #expect(try await self.wish(message, last: Array(known.suffix(1))) == wish)
  }

  @Test("what a message tells beside its wish")
  func beside() {
    let reader = WishReader()
    for message in [
      "forget what i said about my brother. I moved to Leeds last week.", "I moved to Leeds. Forget my boss.",
    ] {
      #expect(reader.tellsMore(message), "\(message)")
    }
    for message in [
      "forget what i said about my brother", "please forget my boss. thanks a lot", "hey mochi! forget my brother, ok?",
      "don't mention my brother again. please.",
    ] { #expect(!reader.tellsMore(message, pet: "Mochi"), "\(message)") }
  }

  @Test("what nothing is remembered of is said to be so")
  func nothing() async throws {
    #expect(
      try await wish("please forget what i said about my boss")
        == .nothing(topic: "your boss", words: "my boss", isHush: false, isSure: true))
  }

  @Test(
    "everything is asked for in so many words",
    arguments: [
      "forget everything", "please forget everything you know about me", "Forget all I ever told you!",
      "wipe your memory",
      "i want you to delete everything you know about me", "mochi forget everything about me please",
    ])
  func everything(_ message: String) async throws { #expect(try await wish(message) == .forgetEverything) }

  @Test(
    "that is what was told last",
    arguments: ["forget that", "please forget what i just said", "forget i said that", "don't remember that"])
  func last(_ message: String) async throws {
    let last = Array(try await Self.facts(Self.lines).suffix(1))
    #expect(try await wish(message, last: last) == .forget(last, topic: ""))
    let other = try await wish(message)
    #expect(other == nil || other == .unclear)
  }

  @Test(
    "what was recalled may be wrong",
    arguments: ["no, that's wrong", "that is not true", "That was wrong.", "no you got that wrong"])
  func wrong(_ message: String) async throws { #expect(try await wish(message) == .takeBack) }

  @Test(
    "most that speaks of forgetting wishes nothing",
    arguments: [
      "forget it", "forget about it, let's play", "i forgot my keys", "don't forget my birthday",
      "did you forget about my brother?",
      "i want to forget everything that happened",
      "i can't forget what he said about my brother",
      "never forget Tom", "my brother said forget everything", "what did i say about my brother?",
      "you forget everything",
      "he told me to forget my sister", "forget dinner", "please forget about the dishes",
      "I'll never forget what you said", "ugh, forgot when my exam is", "forgot that my sister comes on monday",
      "why do you never talk about my brother", "don't tell anyone but my brother got engaged",
    ])
  func none(_ message: String) async throws {
    let wish = try await wish(message)
    // Nor does it where nothing is remembered of what it names.
    if case .nothing(_, _, _, isSure: false) = wish { return }
    #expect(wish == nil)
  }

  @Test(
    "a wish may stand anywhere in a message, and name more than one thing",
    arguments: [
      "Please never mention the bakery here; Nesta uses this machine too.",
      "ugh why did i say that. never mention my brother or the bakery to me again ok",
      "omg never ever mention liquorice to me ok i mean it", "On reflection, please do not ever mention Oslo.",
      "yo dont ever bring up the bakery thing fr", "What I told about the bakery you never mention to me. ok?",
      "I should be obliged if you never mentioned the bakery to anyone, myself included.",
      "those bakery nights never ever bring that up i mean it", "the bakery thing dont speak of it never again please",
    ])
  func hushed(_ message: String) async throws {
    guard case .hush(let found, _) = try await wish(message) else {
      Issue.record("\(message)")
      return
    }
    #expect((1...2).contains(found.count))
  }

  @Test(
    "and so may one to forget",
    arguments: [
      "dude forget the bakery thing. dont bring it up ever", "Please forget that bakery. I never said it",
      "Would you kindly forget what I said about the bakery? I would rather it were gone.",
      "wait forget about the bakery pls, if arvin sees this screen im dead",
      "On reflection, kindly forget what I said about the bakery. It is nobody's affair.",
      "aight forget that bakery thing i said ok", "this with the bakery, please forget. it is shame for me",
      "the nights at the bakery please forget it, is nothing",
    ])
  func anywhere(_ message: String) async throws {
    #expect(try await forgotten(message) == ["works nights at the bakery in Leeds"])
  }

  @Test(
    "it is said what it is about, and no more",
    arguments: [
      ("that bakery job i told you, never mention it to me again", "bakery job"),
      ("About Oslo: do not mention that, ever.", "Oslo"),
      ("I should be obliged if you never mentioned the bakery to anyone.", "bakery"),
      ("That about the liquorice, please never mention it again.", "liquorice"),
      ("aight forget that tattoo thing i said ok", "tattoo"),
    ])
  func named(_ message: String, _ name: String) async throws {
    switch try await wish(message) {
    case .forget(_, let topic), .hush(_, let topic), .nothing(let topic, _, _, isSure: true): #expect(topic == name)
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  @Test(
    "and without a please",
    arguments: [
      "forget my brother", "Forget Tom.", "forget that my brother is allergic to peanuts", "delete my brother",
      "I don't want you to remember that my brother is allergic", "forget what i said about my brothers",
      "don't remember that my brother is allergic to peanuts",
    ])
  func brisk(_ message: String) async throws {
    #expect(try await forgotten(message) == ["brother Tom is allergic to peanuts"])
  }

  @Test("two things at once are two things")
  func several() async throws {
    let gone = try await forgotten("please forget what i said about my brother and my sister")
    #expect(gone == ["brother Tom is allergic to peanuts", "sister Anna lives in Oslo"])
  }

  @Test(
    "one's name is no other's", arguments: ["please forget my name", "forget my name", "forget that my name is Lena"])
  func name(_ message: String) async throws {
    let gone = try await forgotten(message)
    #expect(gone == ["user's name is Lena"])
  }

  @Test(
    "what is not to be spoken of stays, and is not raised",
    arguments: [
      "could you please not bring up my brother again", "don't mention my brother", "stop talking about Tom",
      "i don't want to talk about my brother", "never mention my brother again please",
      "please don't bring my brother up again",
    ])
  func hush(_ message: String) async throws {
    guard case .hush(let facts, _) = try await wish(message) else { throw Missing() }
    #expect(facts.map(\.text) == ["brother Tom is allergic to peanuts"])
  }

  private struct Missing: Error {}

  @Test(
    "what is meant to be forgotten and not clear is said to be so, and nothing is learned from it",
    arguments: [
      "forget my tattoo", "delete what i wrote", "Forget that I owe Stefan money", "please forget my flatmate Kevin",
    ])
  func unclear(_ message: String) async throws {
    #expect(try await wish(message) == .unclear)
    #expect(WishReader().isMeant(message))
  }

  @Test(
    "what only speaks of forgetting teaches still",
    arguments: ["i forgot my keys in Leeds", "don't forget that I live in Rome"])
  func learned(_ message: String) { #expect(!WishReader().isMeant(message)) }

  @Test("what is kept quiet answers who asks for it, and is in no list of all; it stays so in the file")
  func quiet() async throws {
    let folder = try TemporaryFolder()
    let store = try MemoryStore(folder.path + "/memory.sqlite")
    for (number, line) in ["I hate liquorice", "my sister Anna lives in Oslo"].enumerated() {
      let turn = CompletedTurn(
        said: line, finished: true, conversation: "", number: number + 1, time: 100, today: Self.today)
      try await store.learn(from: try #require(turn))
    }
    let sister = try #require(try await store.facts(at: 100).last)
    try await store.hush([sister.id])
    try await store.close()
    let facts = try await MemoryStore(folder.path + "/memory.sqlite").facts(at: 100)
    #expect(facts.map(\.isQuiet) == [false, true])
    func told(_ message: String) -> [String] {
      let found = RecallQuestion().finding(in: message, among: facts, today: Self.today, at: 100)
      if case .known(let facts, _, _, _) = found { return facts.map(\.text) } else { return [] }
    }
    #expect(told("what do you know about me?") == ["hates liquorice"])
    #expect(told("where does my sister live?") == ["sister Anna lives in Oslo"])
  }

  @Test("what was forgotten comes back, but for what has another value since")
  func restored() async throws {
    let store = try MemoryStore.inMemory()
    func tell(_ line: String, _ number: Int) async throws {
      let turn = CompletedTurn(
        said: line, finished: true, conversation: "", number: number, time: 100, today: Self.today)
      try await store.learn(from: try #require(turn))
    }
    try await tell("my name is Ada", 1)
    try await tell("I hate liquorice", 2)
    let former = try await store.facts(at: 100)
    for fact in former { try await store.forget(fact.id) }
    try await tell("my name is Bea", 3)
    #expect(try await store.restore(former, at: 100).map(\.text) == ["hates liquorice"])
    #expect(try await store.facts(at: 100).map(\.text).sorted() == ["hates liquorice", "user's name is Bea"])
  }

  @Test("yes is yes", arguments: ["yes", "Yes please", "yeah do it", "yes, everything", "I am sure", "go ahead"])
  func yes(_ message: String) { #expect(WishReader().isYes(message)) }

  @Test("and else it is not", arguments: ["no", "yes but not my name", "yesterday", "no don't", "wait", "yes or no?"])
  func no(_ message: String) { #expect(!WishReader().isYes(message)) }

  @Test("every answer has two lines at least, and those about something name it")
  func lines() {
    for line in WishLine.allCases {
      let lines = Set((0..<8).map { WishRules.standard.line(line, topic: "your brother", choice: UInt64($0)) })
      #expect(lines.count >= 2 && !lines.contains(""))
      let isNamed = lines.allSatisfy { $0.contains("your brother") }
      #expect(isNamed == [.forgot, .nothing, .hushed].contains(line))
    }
  }
}
