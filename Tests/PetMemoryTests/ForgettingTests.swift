// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import PetMemory
import Testing

@Suite("Forgetting")
struct ForgettingTests {
  private static let today = CivilDay(at: Fixture.now)

  /// The files of a store with those that it freed: a second name keeps the blocks of each, as a disk would until it uses them anew.
  private struct Disk {
    let folder: TemporaryFolder
    let freed: TemporaryFolder
    /// Cut files keep no second name: their bytes as they were.
    private(set) var cut: [[UInt8]] = []

    init() throws { (folder, freed) = (try TemporaryFolder(), try TemporaryFolder()) }

    mutating func keep() throws {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        var status = stat()
        try #require(stat(folder.file(name), &status) == 0)
        link(folder.file(name), freed.file("\(status.st_ino)"))
      }
      if let log = try folder.bytes()["m-wal"] { cut.append(log) }
    }

    /// How often any of the words is there.
    func copies(_ words: [[UInt8]]) throws -> Int {
      let all = Array(try folder.bytes().values) + Array(try freed.bytes().values) + cut
      return words.reduce(0) { sum, word in sum + all.count { $0.firstRange(of: word) != nil } }
    }
  }

  private static let words = ["Ottoline", "Zanzibar", "quinces", "oboe", "Wilhelmina", "Trondheim"]
  private static let lines = [
    "My name is Ottoline. I live in Zanzibar.", "I love quinces. I play the oboe.",
    "My sister is called Wilhelmina.", "I work in Trondheim.",
  ]

  @Test("of everything leaves no word on the disk, nor the key that opens what is left", arguments: [false, true])
  func everything(withPassphrase: Bool) async throws {
    var disk = try Disk()
    let key = try withPassphrase ? MemoryKey(bytes: Array(repeating: 3, count: 32)) : nil
    let path = disk.folder.file("m")
    let store = try MemoryStore(path, key: key)
    try disk.keep()
    for (number, line) in Self.lines.enumerated() {
      try await store.learn(from: Fixture.turn(line, number + 1))
      try disk.keep()
    }
    let former = try #require(try disk.folder.bytes()["m.key"])
    #expect(former.count == 4096)
    let secret = store.secret
    let sealed = try store.sealedBeside(Array("oboe".utf8), place: "x")
    try await store.forgetEverything()
    try disk.keep()
    #expect(try disk.copies(Self.words.map { Array($0.utf8) }) == 0)
    // Any 64 bytes of either half of the key would do to find it.
    #expect(try disk.copies([Array(former[..<64]), Array(former[2048..<2112])]) == 0)
    #expect(store.secret != secret && store.openedBeside(sealed, place: "x") == nil)
    #expect(try await store.facts(at: Fixture.now, former: true) == [])
    try await store.learn(from: Fixture.turn(Self.lines[0], 9))
    try await store.close()
    let again = try MemoryStore(path, key: key)
    #expect(again.opening == .opened)
    #expect(try await again.facts(at: Fixture.now).count == 2)
    #expect(Set(try disk.folder.bytes().keys).isDisjoint(with: ["m.key.new"]))
  }

  @Test("of one fact leaves what the log held of it without a key; the others stay, and what lies beside opens")
  func oneFact() async throws {
    var disk = try Disk()
    let path = disk.folder.file("m")
    let store = try MemoryStore(path)
    for (number, line) in Self.lines.enumerated() { try await store.learn(from: Fixture.turn(line, number + 1)) }
    try disk.keep()
    let before = try disk.folder.bytes()
    let facts = try await store.facts(at: Fixture.now)
    let sealed = try store.sealedBeside(Array("oboe".utf8), place: "x")
    let place = try #require(facts.first { $0.text.contains("Zanzibar") })
    try await store.forget(place.id)
    try disk.keep()
    let former = try #require(before["m.key"])
    #expect(try disk.copies([Array(former[..<64])]) == 0)
    #expect(store.openedBeside(sealed, place: "x") == Array("oboe".utf8))
    let left = facts.filter { $0.id != place.id }
    #expect(try await store.facts(at: Fixture.now) == left)
    try await store.close()
    #expect(try await MemoryStore(path).facts(at: Fixture.now) == left)
    // The files of before, as they could be dug out, with the key that is there.
    let dug = try TemporaryFolder()
    for name in ["m", "m-wal"] { try Data(#require(before[name])).write(to: URL(filePath: dug.file(name))) }
    try Data(#require(try disk.folder.bytes()["m.key"])).write(to: URL(filePath: dug.file("m.key")))
    #expect(throws: MemoryError.self) { try MemoryStore(dug.file("m"), onDamage: .refuse) }
    // With its own key they open: it is the key that keeps them shut.
    let whole = try TemporaryFolder()
    for name in ["m", "m-wal", "m.key"] { try Data(#require(before[name])).write(to: URL(filePath: whole.file(name))) }
    #expect(try await MemoryStore(whole.file("m"), onDamage: .refuse).facts(at: Fixture.now) == facts)
  }

  @Test("is seen by another program that has the file open")
  func shared() async throws {
    let folder = try TemporaryFolder()
    let (one, two) = (try MemoryStore(folder.file("m")), try MemoryStore(folder.file("m")))
    try await one.learn(from: Fixture.turn("my name is Ada. I live in Rome. I love fog."))
    let facts = try await two.facts(at: Fixture.now)
    #expect(facts.count == 3)
    try await one.forget(#require(facts.last).id)
    #expect(try await two.facts(at: Fixture.now).count == 2)
    try await two.forgetEverything()
    #expect(try await one.facts(at: Fixture.now) == [])
    try await one.learn(from: Fixture.turn("my name is Eve", 2))
    #expect(try await two.facts(at: Fixture.now).map(\.text) == ["user's name is Eve"])
  }

  /// Between the draft of the next key and the end of the former one.
  @Test("that was broken off is ended by whoever opens the store next")
  func brokenOff() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    func learned() async throws -> [Fact] {
      let store = try MemoryStore(path, onDamage: .refuse)
      defer { withExtendedLifetime(store) {} }
      return try await store.facts(at: Fixture.now)
    }
    let store = try MemoryStore(path)
    try await store.learn(from: Fixture.turn("my name is Ada"))
    try await store.close()
    let key = try #require(try folder.bytes()["m.key"])
    // Before the database was changed: the draft is another's.
    try Data(repeating: 7, count: 4096).write(to: URL(filePath: path + ".key.new"))
    #expect(try await learned().count == 1)
    #expect(access(path + ".key.new", F_OK) != 0)
    // After it: the draft is the key, and the former one is there, or overwritten, or gone.
    for former in [Data(repeating: 7, count: 4096), Data(count: 4096), nil] {
      try Data(key).write(to: URL(filePath: path + ".key.new"))
      unlink(path + ".key")
      if let former { try former.write(to: URL(filePath: path + ".key")) }
      #expect(try await learned().count == 1)
      #expect(try folder.bytes()["m.key"] == key && access(path + ".key.new", F_OK) != 0)
    }
  }

  @Test("a key that is gone is said, and nothing is set aside; a store that was cut to nothing is")
  func missing() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    let store = try MemoryStore(path)
    try await store.learn(from: Fixture.turn("my name is Ada"))
    try await store.close()
    let key = try #require(try folder.bytes()["m.key"])
    unlink(path + ".key")
    #expect(throws: MemoryError.keyMissing(path: path + ".key")) { try MemoryStore(path) }
    for junk in [Data(), Data("junk".utf8), Data(count: 4096)] {
      try junk.write(to: URL(filePath: path + ".key"))
      #expect(throws: MemoryError.keyDamaged(path: path + ".key")) { try MemoryStore(path) }
    }
    try Data(key).write(to: URL(filePath: path + ".key"))
    #expect(try await MemoryStore(path).facts(at: Fixture.now).count == 1)
    truncate(path, 0)
    #expect(throws: MemoryError.damaged(path: path)) { try MemoryStore(path, onDamage: .refuse) }
    #expect(try MemoryStore(path).opening == .setAside(path + ".damaged-1"))
    #expect(try folder.bytes()["m.damaged-1.key"] == key)
  }

  @Test(
    "rows, their number and what they say of themselves cannot be changed without the key",
    arguments: [
      "UPDATE fact SET superseded_by = NULL", "DELETE FROM fact WHERE id = 1",
      "UPDATE fact SET expires = 1 WHERE id = 2",
      "UPDATE fact SET uses = 9 WHERE id = 2", "UPDATE fact SET id = 9 WHERE id = 1",
      "INSERT INTO fact (body, last_used, uses) SELECT body, last_used, uses FROM fact WHERE id = 1",
      "DELETE FROM meta WHERE name = 'table'",
    ])
  func changed(_ change: String) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    let store = try MemoryStore(path)
    try await store.learn(from: Fixture.turn("my name is Ana"))
    try await store.learn(from: Fixture.turn("Actually, it's Ada", 2))
    try await store.close()
    let connection = try SQLiteConnection(.file(path))
    try connection.execute(change)
    try connection.close()
    #expect(throws: MemoryError.damaged(path: path)) { try MemoryStore(path, onDamage: .refuse) }
    #expect(try MemoryStore(path).opening == .setAside(path + ".damaged-1"))
  }

  /// As the first version wrote it: `version1.sql`.
  @Test("a store of the first version is sealed anew and says so; no word stays in its files")
  func migrated() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m")
    try Data().write(to: URL(filePath: path))
    let connection = try SQLiteConnection(.file(path))
    try connection.execute(String(decoding: Fixture.data("version1.sql"), as: UTF8.self))
    try connection.close()
    #expect(try folder.files(with: ["Zanzibar"]) == ["m"])
    let store = try MemoryStore(path, onDamage: .refuse)
    #expect(store.opening == .migrated)
    #expect(try await store.facts(at: Fixture.now).map(\.text) == ["user's name is Ada", "lives in Zanzibar"])
    #expect(try folder.files(with: ["Zanzibar", "Ada"]) == [])
    try await store.close()
    #expect(try MemoryStore(path, onDamage: .refuse).opening == .opened)
  }

  @Test("a passphrase that could be guessed seals nothing")
  func short() throws {
    let folder = try TemporaryFolder()
    #expect(throws: MemoryError.self) { try MemoryStore(folder.file("m"), key: MemoryKey(passphrase: "1234567")) }
    _ = try MemoryStore(folder.file("m"), key: MemoryKey(passphrase: "12345678"))
  }
}
