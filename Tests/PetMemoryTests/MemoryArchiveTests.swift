// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("Memories that are taken elsewhere")
struct MemoryArchiveTests {
  private static func store() async throws -> MemoryStore {
    let store = try MemoryStore.inMemory()
    try await store.learn(from: Fixture.turn("My name is Ada. I have a dog named Rex."))
    try await store.learn(from: Fixture.turn("the boiler on our landing hums in F"), inWords: true)
    return store
  }

  private static func archive(_ store: MemoryStore) async throws -> MemoryArchive {
    try MemoryArchive(bytes: Array(try await store.archive(at: Fixture.now).written().utf8))
  }

  @Test("are the same there, and once")
  func roundTrip() async throws {
    let store = try await Self.store()
    let dog = try #require(try await store.facts(at: Fixture.now).first { $0.kind == .pet })
    try await store.hush([dog.id])
    let archive = try await Self.archive(store)
    let other = try MemoryStore.inMemory()
    let arrival = try await other.take(archive.memories, at: Fixture.now)
    #expect(arrival.added.count == 3 && (arrival.known, arrival.refused) == (0, 0))
    #expect(try await Self.archive(other) == archive)
    #expect(try await other.facts(at: Fixture.now).first { $0.kind == .pet }?.isQuiet == true)
    // A file that says it twice says it once.
    let twice = try MemoryStore.inMemory()
    #expect(try await twice.take(archive.memories + archive.memories, at: Fixture.now).added.count == 3)
    // Where there is no room for all, the rest is told.
    let small = try MemoryStore.inMemory(limit: 2)
    let some = try await small.take(archive.memories, at: Fixture.now)
    #expect(some.added.count == 2 && (some.known, some.refused) == (0, 1))
    let again = try await other.take(archive.memories, at: Fixture.now)
    #expect(again.added.isEmpty && again.known == 3)
  }

  @Test("what is known otherwise since stays; what is a secret, near danger or of no known kind does not come")
  func refused() async throws {
    let archive = try await Self.archive(Self.store())
    let other = try MemoryStore.inMemory()
    try await other.learn(from: Fixture.turn("My name is Grace."))
    let arrival = try await other.take(
      archive.memories.filter { !$0.text.contains("boiler") }, refused: 1, at: Fixture.now)
    #expect((arrival.added.map(\.text), arrival.known, arrival.refused) == (["has a dog named Rex"], 1, 1))
    let written = try await other.archive(at: Fixture.now).written()
    for (one, instead) in [
      ("has a dog named Rex", "my password is hunter2"), ("\"kind\" : \"pet\"", "\"kind\" : \"aura\""),
      ("has a dog named Rex", String(repeating: "x", count: 300)), ("\"origin\" : \"rule\"", "\"origin\" : \"ghost\""),
    ] {
      let changed = try MemoryArchive(bytes: Array(written.replacing(one, with: instead).utf8))
      let empty = try MemoryStore.inMemory()
      #expect(try await empty.take(changed.memories, at: Fixture.now).refused >= 1, "\(instead)")
    }
  }

  @Test("hostile times and numbers are kept in their bounds")
  func bounds() async throws {
    let written = try await Self.archive(Self.store()).written()
    for pattern in [/"created" : \d+/, /"last_used" : \d+/, /"confidence" : [\d.]+/] {
      for value in ["-9223372036854775808", "9223372036854775807", "1e300"] {
        let text = written.replacing(pattern) { "\($0.output.prefix { $0 != ":" }): \(value)" }
        guard let archive = try? MemoryArchive(bytes: Array(text.utf8)) else { continue }
        let store = try MemoryStore.inMemory()
        _ = try await store.take(archive.memories, at: Fixture.now)
        #expect(
          try await store.facts(at: Fixture.now).allSatisfy {
            (0...1).contains($0.confidence) && $0.created >= 0 && $0.lastUsed >= $0.created
          })
      }
    }
  }

  @Test(
    "what is no archive is refused",
    arguments: [
      "", "{}", "[]", "{\"format\": \"pet-memories\"}", "{\"format\": \"x\", \"version\": 1, \"memories\": []}",
    ])
  func none(_ text: String) {
    #expect(throws: MemoryArchiveError.notAnArchive) { try MemoryArchive(bytes: Array(text.utf8)) }
  }

  @Test("a newer one is named")
  func newer() {
    let text = "{\"format\": \"pet-memories\", \"version\": 2, \"memories\": {\"new\": true}}"
    #expect(throws: MemoryArchiveError.newer(2)) { try MemoryArchive(bytes: Array(text.utf8)) }
  }

  @Test(
    "of a file with one bad memory it is said which, and what is wrong with it",
    arguments: [
      (#""created": "then", "#, "created", false), ("", "created", true),
    ])
  func badEntry(_ created: String, _ field: String, _ isMissing: Bool) {
    func entry(_ created: String) -> String {
      #"{"kind": "likes", "subject": "user", "topic": "", "value": "tea", "text": "likes tea", "origin": "rule", "confidence": 1, "#
        + created + #""importance": 1, "last_used": 1, "quiet": false}"#
    }
    let text =
      #"{"format": "pet-memories", "version": 1, "memories": ["# + entry(#""created": 1, "#) + "," + entry(created)
      + "]}"
    #expect(throws: MemoryArchiveError.entry(2, field: field, isMissing: isMissing)) {
      try MemoryArchive(bytes: Array(text.utf8))
    }
  }
}
