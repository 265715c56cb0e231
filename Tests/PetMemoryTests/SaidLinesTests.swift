// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("Lines that are kept in the person's own words")
struct SaidLinesTests {
  private static let today = CivilDay(number: 20_000)

  private static func store(_ lines: [String]) async throws -> MemoryStore {
    let store = try MemoryStore.inMemory()
    for (number, line) in lines.enumerated() { try await learn(line, number + 1, store) }
    return store
  }

  private static func learn(_ line: String, _ number: Int, _ store: MemoryStore) async throws {
    let turn = CompletedTurn(
      said: line, finished: true, conversation: "7", number: number, time: 100 + Int64(number), today: today)
    try await store.learn(from: try #require(turn), inWords: true)
  }

  /// What is kept of these lines as they were said, as far as it still holds.
  private static func said(_ lines: String...) async throws -> [String] {
    try await store(lines).facts(at: 1000).filter { $0.kind == .said }.map(\.value)
  }

  @Test(
    "what tells something and no rule understands as a whole",
    arguments: [
      "bea cant have nuts AT ALL we carry the pen everywhere", "our car is an old grey skoda, gertrudes dont ask",
      "three kids. tomas 11, bea 7, the baby 14 months", "saving for a tandem w dave, about 900 so far",
    ])
  func kept(_ line: String) async throws { #expect(try await Self.said(line) == [line]) }

  @Test(
    "no questions, secrets, jokes, moods, nor what is for the pet or already a fact",
    arguments: [
      "what's on telly tonight then", "is my brother coming?", "my pin is 4711 and the password is hunter2", "lol",
      "hm",
      "the wifi is kX9q2zz at home", "my door code is blue seven", "my card is 4111 1111 1111 1111 till may",
      "the passw0rd for the shed is heron", "my pass word at work is heron", "the wifi key is heron and oak",
      "my recovery phrase is heron oak table", "the secret word for the club is heron",
      "you are a funny little thing", "my brother Tom lives in Leeds",
      "we own a castle in spain, just kidding",
    ])
  func left(_ line: String) async throws { #expect(try await Self.said(line).isEmpty) }

  @Test(
    "with a fact the line goes that told it, and with the line what was understood of it; nothing else of that message")
  func together() async throws {
    let lines = ["my name is Philippa and the boiler on our landing hums in F", "i have a dog named Wotan"]
    for kind in [Fact.Kind.name, .said] {
      let store = try await Self.store(lines)
      let known = try await store.facts(at: 1000)
      #expect(known.count == 3)
      let own = try #require(known.first { $0.kind == kind })
      let gone = try await store.forget(own.id)
      #expect(gone.map(\.kind) == [kind == .name ? .said : .name])
      #expect(try await store.facts(at: 1000).map(\.text) == ["has a dog named Wotan"])
    }
  }

  @Test("what is wrong with others is theirs")
  func ailments() async throws {
    #expect(try await Self.said("my mum has got dementia and lives upstairs now").isEmpty)
    #expect(try await Self.store(["My brother Tom is HIV positive."]).facts(at: 1000).isEmpty)
    #expect(try await Self.said("shes in rehab again since monday").isEmpty)
    #expect(try await Self.said("started chemo tuesday, six rounds of it").count == 1)
  }

  @Test("of a message only the sentences that tell")
  func sentences() async throws {
    #expect(
      try await Self.said("Sailed round the island with Jo. Do you like boats? The mast broke off the coast.")
        == ["Sailed round the island with Jo. The mast broke off the coast."])
  }

  @Test("one that leans on the line before is kept with it, and takes its place")
  func leaning() async throws {
    let lines = ["tomas big match is saturday at ten, goalkeeper", "sorry no its sunday half past nine"]
    let both = "tomas big match is saturday at ten, goalkeeper / sorry no its sunday half past nine"
    let store = try await Self.store(lines)
    #expect(try await store.facts(at: 1000).filter { $0.kind == .said }.map(\.value) == [both])
    // Not on what was said long before.
    try await Self.learn("lol", 3, store)
    try await Self.learn("and the van needs new tyres soon", 5, store)
    #expect(
      try await store.facts(at: 1000).filter { $0.kind == .said }.map(\.value)
        == [both, "and the van needs new tyres soon"])
  }

  @Test("one that corrects an earlier line is kept with that, and what was understood of it holds no longer")
  func correcting() async throws {
    let store = try await Self.store([
      "Jostein has sixty goats up in the valley.", "my roommate Tre plays bass in a band called Mud Season",
      "I am knitting a green cardigan, it grows.", "No, I counted wrong. Jostein has eighty goats now.",
      "wait nah Tre plays drums not bass, i always mix that up", "It is raining outside tonight, how dull it is.",
    ])
    let known = try await store.facts(at: 1000)
    let said = known.filter { $0.kind == .said }.map(\.value)
    #expect(
      said.contains("Jostein has sixty goats up in the valley. / No, I counted wrong. Jostein has eighty goats now."))
    #expect(said.contains("I am knitting a green cardigan, it grows."), "\(said)")
    #expect(said.count { $0.contains("Jostein") } == 1 && said.count { $0.contains("drums") } == 1, "\(said)")
    #expect(!known.contains { $0.kind != .said && $0.text.contains("bass") }, "\(known.map(\.text))")
  }

  @Test("a long one in parts, of which none is longer than what a memory may be")
  func long() async throws {
    let line = (1...80).map { "w" + String(repeating: "a", count: $0 % 9 + 2) }.joined(separator: " ")
    let kept = try await Self.said(line)
    #expect(kept.count == SaidLines.mostOfTurn && kept.allSatisfy { $0.count <= 150 })
    #expect(line.hasPrefix(kept.joined(separator: " ")))
    #expect(
      try await Self.said(String(repeating: "x", count: 5000) + " is my very long word").allSatisfy { $0.count <= 150 })
  }

  @Test("of too many the oldest go")
  func many() async throws {
    let store = try MemoryStore.inMemory()
    for number in 1...(SaidLines.most + 20) {
      try await Self.learn("shelf \(number) holds the blue folders", number, store)
    }
    let kept = try await store.facts(at: 1000).filter { $0.kind == .said }
    #expect(kept.count == SaidLines.most && kept.first?.value == "shelf 21 holds the blue folders")
  }

  @Test("they go with what is to be forgotten: by its words, and by the name of who is meant")
  func forgotten() async throws {
    let store = try await Self.store([
      "my brother Tom lives in Leeds", "tom got sacked from the garage last week",
      "the allotment shed burned down, all the tools",
    ])
    let facts = try await store.facts(at: 1000)
    func forgets(_ message: String) -> [String]? {
      guard case .forget(let gone, _) = WishReader().wish(in: message, among: facts, last: []) else { return nil }
      return gone.map(\.value)
    }
    #expect(
      forgets("please forget what i said about my brother")?.contains("tom got sacked from the garage last week")
        == true)
    #expect(forgets("forget what i told you about the shed") == ["the allotment shed burned down, all the tools"])
    #expect(forgets("the shed thing. forget it") == ["the allotment shed burned down, all the tools"])
    #expect(forgets("nvm the allotment. erase that pls") == ["the allotment shed burned down, all the tools"])
    #expect(forgets("forget it, the cake was bad anyway") == nil)
    #expect(forgets("i always forget my keys at the allotment") == nil)
    #expect(forgets("dont forget the allotment") == nil)
  }

  @Test("what stands before \"it\" is kept, and not spoken of")
  func hushed() async throws {
    let facts = try await Self.store(["put in for a job at the hospice, no one at work knows"]).facts(at: 1000)
    let wish = WishReader().wish(in: "and the hospice thing, dont ever bring it up pls", among: facts, last: [])
    guard case .hush(let found, _) = wish else {
      Issue.record("\(String(describing: wish))")
      return
    }
    #expect(found.map(\.kind) == [.said])
  }
}
