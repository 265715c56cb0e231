// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("What a person writes into the list of memories")
struct ListEntryTests {
  private static let today = CivilDay(at: Fixture.now)

  @Test(
    "a value takes the place of the value, wherever else its letters stand, and a sentence that of the whole",
    arguments: [
      ("my name is Ada", ["us", "Max"], "user's name is Max"),
      ("my name is Ada", ["my name is Max"], "user's name is Max"),
      ("my name is Ada", ["us", "user's name is Max"], "user's name is Max"),
      ("my name is Max", ["us", "no, I meant Ada"], "user's name is Ada"),
      ("I have a dog named Rex", ["dog", "a", "Bo"], "has a dog named Bo"),
      ("my sister's name is Iris", ["sister", "is", "Eve"], "sister is named Eve"),
      ("I love tea", ["I live in Rome"], "lives in Rome"), ("I love tea", ["likes", "green tea"], "likes green tea"),
    ])
  func edits(told: String, texts: [String], expected: String) async throws {
    let store = try MemoryStore.inMemory()
    try await store.learn(from: Fixture.turn(told))
    for text in texts { try await store.edit(1, to: text, today: Self.today, at: Fixture.now) }
    #expect(try await store.facts(at: Fixture.now).map(\.text) == [expected])
  }

  @Test("what was edited says otherwise than others no longer do, and is the person's own word")
  func contradictions() async throws {
    let store = try MemoryStore.inMemory()
    try await store.learn(from: Fixture.turn("I love tea. I live in Rome. I love fog."))
    let fact = try await store.edit(3, to: "I live in Oslo", today: Self.today, at: Fixture.now)
    #expect(fact.kind == .place && fact.value == "Oslo" && fact.source.origin == .person && fact.confidence == 1)
    #expect(try await store.facts(at: Fixture.now).map(\.text) == ["likes tea", "lives in Oslo"])
    try await store.edit(1, to: "I hate tea", today: Self.today, at: Fixture.now)
    let texts = try await store.facts(at: Fixture.now).map(\.text)
    #expect(texts == ["hates tea", "lives in Oslo"])
    // What holds no longer is in no list, and has no number for anybody.
    await #expect(throws: MemoryError.noSuchFact(2)) {
      try await store.edit(2, to: "I live in Riga", today: Self.today, at: Fixture.now)
    }
  }

  @Test("what cannot take a fact's place is refused, and nothing changes")
  func refused() async throws {
    let store = try MemoryStore.inMemory()
    try await store.learn(from: Fixture.turn("my name is Ada"))
    for (text, expected) in [
      ("my name is Eve and I hate olives", MemoryError.notOneFact), ("I don't live in Rome anymore", .notOneFact),
      ("my password is xyzzy", .secret), (" ", .emptyValue),
    ] {
      await #expect(throws: expected) { try await store.edit(1, to: text, today: Self.today, at: Fixture.now) }
    }
    #expect(try await store.facts(at: Fixture.now).map(\.text) == ["user's name is Ada"])
  }

  @Test(
    "what tells nothing is not added",
    arguments: ["/help", "/memory add x", "what is my name", "do you like tea?", "when is my exam"])
  func tellsNothing(_ text: String) async throws {
    let store = try MemoryStore.inMemory()
    await #expect(throws: MemoryError.tellsNothing) { try await store.add(text, today: Self.today, at: Fixture.now) }
    for own in ["is allergic to nuts", "when i'm sad i bake", "wifi is in the hall, behind the door"] {
      try await store.add(own, today: Self.today, at: Fixture.now)
    }
    #expect(try await store.facts(at: Fixture.now).count == 3)
  }

  @Test(
    "what is added is read as talk is, takes the place of what it contradicts, and is kept as it stands where no rule reads it"
  )
  func adds() async throws {
    let store = try MemoryStore.inMemory()
    func add(_ text: String) async throws -> [FactChange] {
      try await store.add(text, today: Self.today, at: Fixture.now)
    }
    #expect(try await add("my name is Ada") == [.added(1)])
    #expect(try await add("I love tea. My sister's name is Iris.") == [.added(2), .added(3)])
    #expect(try await add("my name is Eve") == [.superseded([1], by: 4)])
    #expect(try await add("The kettle whistles at noon") == [.added(5)])
    #expect(
      try await store.facts(at: Fixture.now).map(\.text) == [
        "likes tea", "sister is named Iris", "user's name is Eve", "The kettle whistles at noon",
      ])
    #expect(try await store.facts(at: Fixture.now).allSatisfy { $0.source.origin == .person && $0.expires == nil })
    await #expect(throws: MemoryError.secret) { try await add("my password is xyzzy") }
    await #expect(throws: MemoryError.emptyValue) { try await add("\n") }
  }

  @Test(
    "what is added is kept whole: as it stands where the rules read only a part of it",
    arguments: [
      "I take two blue tablets at breakfast and one white tablet before bed because of my heart",
      "my sister Iris is coming to stay with us from the 3rd of June until the 17th of July this year",
      "I like to walk along the river with my old friend Martin every Sunday morning after church",
    ])
  func whole(text: String) async throws {
    let store = try MemoryStore.inMemory()
    try await store.add(text, today: Self.today, at: Fixture.now)
    #expect(try await store.facts(at: Fixture.now).map(\.text) == [text])
  }
}
