// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import Testing

@Suite("The file of memories")
struct MemoryFormatTests {
  private static func learned(_ path: String) async throws {
    let store = try MemoryStore(path)
    try await store.learn(from: Fixture.turn("my name is Ada"))
    try await store.close()
  }

  @Test("has a log, erases what is deleted, waits for the disk, and says whose it is")
  func settings() async throws {
    let folder = try TemporaryFolder()
    try await Self.learned(folder.file("m"))
    let connection = try MemoryDatabase(.file(folder.file("m")), path: folder.file("m")).connection
    #expect(try connection.text("PRAGMA journal_mode") == "wal")
    #expect(try connection.integer("PRAGMA secure_delete") == 1)
    #expect(try connection.integer("PRAGMA synchronous") == 2)
    #expect(try connection.integer("PRAGMA temp_store") == 2)
    #expect(try connection.integer("PRAGMA busy_timeout") == 30_000)
    #expect(try connection.integer("PRAGMA application_id") == MemorySchema.application)
    #expect(try connection.integer("PRAGMA user_version") == Int64(MemorySchema.version))
  }

  @Test("of a later version is refused, and neither changed nor moved away")
  func newer() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try await Self.learned(path)
    let connection = try SQLiteConnection(.file(path))
    try connection.execute("PRAGMA user_version = \(MemorySchema.version + 1)")
    try connection.close()
    let before = try folder.bytes()
    #expect(throws: MemoryError.newer(path: path)) { try MemoryStore(path) }
    #expect(try folder.bytes() == before)
  }

  @Test("another program's database is not written to", arguments: [0, 7])
  func foreign(_ application: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try Data().write(to: URL(filePath: path))
    let connection = try SQLiteConnection(.file(path))
    try connection.execute("PRAGMA application_id = \(application); CREATE TABLE fact (a); INSERT INTO fact VALUES (1)")
    try connection.close()
    let before = try folder.bytes()
    #expect(throws: MemoryError.damaged(path: path)) { try MemoryStore(path, onDamage: .refuse) }
    #expect(try folder.bytes() == before)
    #expect(try MemoryStore(path).opening == .setAside(path + ".damaged-1"))
    #expect(try folder.bytes()["m.damaged-1"] == before["m"])
  }

  @Test("that was begun by a program that was killed is gone on with")
  func begun() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try Data().write(to: URL(filePath: path))
    let connection = try SQLiteConnection(.file(path))
    #expect(try connection.text("PRAGMA journal_mode = WAL") == "wal")
    try connection.close()
    #expect(try folder.bytes()["m"]?.isEmpty == false)
    let store = try MemoryStore(path, onDamage: .refuse)
    try await store.learn(from: Fixture.turn("my name is Ada"))
    #expect(try await store.facts(at: Fixture.now).count == 1)
  }

  @Test("may be made by several at once")
  func atOnce() async throws {
    for _ in 0..<20 {
      let folder = try TemporaryFolder()
      let path = folder.file("home/m")
      try await withThrowingTaskGroup { group in
        for number in 1...6 {
          group.addTask {
            let store = try MemoryStore(path, onDamage: .refuse)
            try await store.learn(from: Fixture.turn("I love thing\(number)x", number))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await MemoryStore(path).facts(at: Fixture.now).count == 6)
    }
  }

  /// Closing any descriptor of a file drops the locks that the process has on it: another program could then take the file
  /// for unused, and move its log away under the store.
  @Test("stays locked for a store while another of the same process comes and goes")
  func locks() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try await Self.learned(path)
    let store = try MemoryStore(path)
    #expect(try await store.facts(at: Fixture.now).count == 1)
    try await MemoryStore(path).close()
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    // SQLite's bytes of shared locks (https://www.sqlite.org/lockingv3.html), asked for as another process would: F_OFD_GETLK.
    var lock = flock()
    (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), 0x4000_0002, 510)
    #expect(fcntl(descriptor, 36, &lock) == 0)
    #expect(lock.l_type == Int16(F_RDLCK))
    try await store.close()
  }

  @Test("keeps what a later version added, and recalls it not", arguments: ["kind", "origin"])
  func laterKinds(_ part: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try await Self.learned(path)
    let old = part == "kind" ? #""kind":"name""# : #""origin":"rule""#
    let new = part == "kind" ? #""kind":"starsign""# : #""origin":"dream""#
    let database = try MemoryDatabase(.file(path), path: path)
    let connection = database.connection
    try database.write(nil) {
      let body = try SealedRow.text(1, database).replacing(old, with: new)
      try connection.execute("INSERT INTO fact (body, last_used, uses, superseded_by) VALUES (x'', 0, 0, 1)")
      try SealedRow.set(connection.lastInsertedRowID, body, database)
    }
    func later() throws -> Int {
      // What a store of another key wrote is opened with that one.
      try database.write(nil) {
        try SealedRow.ids(database).count { try SealedRow.text($0, database).contains(new) }
      }
    }
    #expect(try later() == 1)
    let store = try MemoryStore(path, limit: 1)
    #expect(store.opening == .opened)
    let late = Fixture.now + 400 * 86_400
    #expect(try await store.facts(at: late, former: true).map(\.id) == [1])
    let recalled = try await store.recall(for: "Ada", count: 9, unasked: 9, today: CivilDay(at: late), at: late)
    #expect(recalled.map(\.id) == [1])
    try await store.learn(from: Fixture.turn("my name is Eve. I love fog", 2, at: late))
    #expect(try later() == 1)
    // It says what the fact said whose place was taken: with that it goes.
    try database.write(nil) {
      try connection.execute("UPDATE fact SET superseded_by = (SELECT max(id) FROM fact) WHERE superseded_by = 1")
    }
    let last = try #require(try await store.facts(at: late, former: true).last)
    try await store.forget(last.id)
    #expect(try later() == 0)
  }
}
