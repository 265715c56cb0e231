// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

@Suite("A store that is never on disk")
struct InMemoryTests {
  private static func files() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: FileManager.default.currentDirectoryPath))
  }

  @Test("learns, recalls, edits and forgets as any other, leaves no file and is shared with nobody")
  func behaves() async throws {
    let before = try Self.files()
    let (store, other) = (try MemoryStore.inMemory(limit: 3), try MemoryStore.inMemory())
    #expect(store.opening == .created && store.path == ":memory:")
    try await store.learn(from: Fixture.turn("My name is Ana. I live in Rome."))
    #expect(try await store.learn(from: Fixture.turn("Actually, it's Oslo", 2)) == [.superseded([2], by: 3)])
    let today = CivilDay(at: Fixture.now)
    let found = try await store.recall(for: "where do I live?", count: 1, today: today, at: Fixture.now)
    try await store.use(found.map(\.id), at: Fixture.now)
    #expect(found.map(\.text) == ["lives in Oslo"])
    #expect(try await store.facts(at: Fixture.now).map(\.uses) == [0, 1])
    try await store.edit(1, to: "Ada", today: today, at: Fixture.now)
    #expect(try await store.facts(at: Fixture.now).map(\.text) == ["user's name is Ada", "lives in Oslo"])
    try await store.forget(3)
    #expect(try await store.facts(at: Fixture.now, former: true).map(\.id) == [1])
    await #expect(throws: MemoryError.noSuchFact(3)) { try await store.forget(3) }
    #expect(try await other.facts(at: Fixture.now) == [])
    try await store.forgetEverything()
    #expect(try await store.facts(at: Fixture.now, former: true) == [])
    try await store.learn(from: Fixture.turn("I love fog", 3))
    #expect(try await store.facts(at: Fixture.now).count == 1)
    try await store.close()
    await #expect(throws: MemoryError.database(path: ":memory:", code: 21)) { try await store.facts(at: Fixture.now) }
    #expect(try Self.files() == before)
  }
}
