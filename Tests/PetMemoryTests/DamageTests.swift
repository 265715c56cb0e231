// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import SeededGenerator
import Testing

@Suite("Broken files of memories")
struct DamageTests {
  private static func written(_ folder: TemporaryFolder) async throws -> [UInt8] {
    let store = try MemoryStore(folder.file("m"))
    for number in 1...200 { try await store.learn(from: Fixture.turn("I love thing\(number)x", number)) }
    try await store.close()
    return try #require(try folder.bytes()["m"])
  }

  @Test("a file that is no database is refused or set aside, never lost")
  func noDatabase() async throws {
    for content in ["x", "SQLite format 3\u{0}", String(repeating: "junk", count: 5000)] {
      let folder = try TemporaryFolder()
      let path = folder.file("m")
      try Data(content.utf8).write(to: URL(filePath: path))
      #expect(throws: MemoryError.damaged(path: path)) { try MemoryStore(path, onDamage: .refuse) }
      #expect(try folder.bytes()["m"] == Array(content.utf8))
      let store = try MemoryStore(path)
      #expect(store.opening == .setAside(path + ".damaged-1"))
      #expect(try folder.bytes()["m.damaged-1"] == Array(content.utf8))
      try await store.learn(from: Fixture.turn("my name is Ada"))
      #expect(try await store.facts(at: Fixture.now).count == 1)
    }
  }

  @Test("cut or with bytes changed: facts that were there, or a clear error; never a crash")
  func broken() async throws {
    let folder = try TemporaryFolder()
    let whole = try await Self.written(folder)
    let key = try #require(try folder.bytes()["m.key"])
    var random = SeededGenerator(seed: 11)
    var refused = 0
    for round in 0..<80 {
      var bytes = whole
      if round % 2 == 0 {
        bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
      } else {
        for _ in 0..<40 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      let path = folder.file("broken\(round)")
      try Data(bytes).write(to: URL(filePath: path))
      try Data(key).write(to: URL(filePath: path + ".key"))
      do {
        let store = try MemoryStore(path, onDamage: .refuse)
        let facts = try await store.facts(at: Fixture.now, former: true)
        #expect(facts.count <= 200)
      } catch {
        refused += 1
        if case .noSuchFact = error { Issue.record("\(error)") }
      }
      _ = try MemoryStore(path, onDamage: .setAside)
    }
    #expect(refused > 40)
  }

  @Test("a turn that no conversation has is none that is corrected", arguments: [Int.min, -1, .max])
  func absurdTurn(_ turn: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    let store = try MemoryStore(path)
    try await store.learn(from: Fixture.turn("my name is Ana"))
    try await store.close()
    let database = try MemoryDatabase(.file(path), path: path)
    try database.write(nil) {
      let body = try SealedRow.text(1, database).replacing(#""turn":1"#, with: #""turn":\#(turn)"#)
      try SealedRow.set(1, body, database)
    }
    try database.connection.close()
    let again = try MemoryStore(path, onDamage: .refuse)
    #expect(try await again.facts(at: Fixture.now).map(\.source.turn) == [turn])
    #expect(try await again.learn(from: Fixture.turn("Actually, it's Ada", 5)) == [])
    #expect(try await again.facts(at: Fixture.now).map(\.text) == ["user's name is Ana"])
  }

  @Test("days of a file are within the calendar", arguments: [Int.min, -1, 0, 20_000, .max])
  func days(_ number: Int) throws {
    let day = try JSONDecoder().decode(CivilDay.self, from: Data(#"{"number":\#(number)}"#.utf8))
    #expect(day == CivilDay(number: number))
    #expect(try JSONDecoder().decode(CivilDay.self, from: JSONEncoder().encode(day)) == day)
  }

  @Test("what cannot be opened says so and why")
  func unopenable() throws {
    let folder = try TemporaryFolder()
    #expect(throws: MemoryError.self) { try MemoryStore(folder.path) }
    #expect(symlink("/dev/null", folder.file("link")) == 0)
    #expect(throws: MemoryError.file(path: folder.file("link"), operation: "open", code: ELOOP)) {
      try MemoryStore(folder.file("link"))
    }
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    #expect(throws: MemoryError.file(path: folder.file("pipe"), operation: "open", code: EINVAL)) {
      try MemoryStore(folder.file("pipe"))
    }
  }
}
