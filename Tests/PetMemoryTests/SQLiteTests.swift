// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

@Suite("The door to SQLite")
struct SQLiteTests {
  private struct Refused: Error {}

  /// In a file, since nothing but files has locks and logs.
  private static func connection(_ folder: TemporaryFolder, busyMilliseconds: Int32 = 5000) throws -> SQLiteConnection {
    let path = folder.file("d")
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
    return try SQLiteConnection(.file(path), busyMilliseconds: busyMilliseconds)
  }

  @Test("values come back as they were, nothing and null apart")
  func values() throws {
    let connection = try SQLiteConnection(.memory)
    for number in [Int64.min, -1, 0, 1, .max] {
      #expect(try connection.integer("SELECT ?", .integer(number)) == number)
    }
    for text in ["", "a", "né 🦊\u{0}after", String(repeating: "x", count: 100_000)] {
      #expect(try connection.text("SELECT ?", .text(text)) == text)
    }
    for data in [Data(), Data([0, 255, 0]), Data(repeating: 7, count: 100_000)] {
      #expect(try connection.blob("SELECT ?", .blob(data)) == data)
    }
    #expect(try connection.integer("SELECT ?", .null) == nil)
    #expect(try connection.text("SELECT ?", .null) == nil)
    #expect(try connection.blob("SELECT ?", .null) == nil)
    #expect(try connection.text("SELECT 'x' WHERE ? = 2", .integer(1)) == nil)
  }

  @Test("a column of another type, a value too few or too many, and a row too long are errors")
  func misuse() throws {
    let connection = try SQLiteConnection(.memory, longest: 10_000)
    let mismatch = SQLiteError(code: 20)
    let range = SQLiteError(code: 25)
    let tooBig = SQLiteError(code: 18)
    #expect(throws: mismatch) { try connection.integer("SELECT '1'") }
    #expect(throws: mismatch) { try connection.integer("SELECT 1.0") }
    #expect(throws: mismatch) { try connection.text("SELECT 1") }
    #expect(throws: mismatch) { try connection.blob("SELECT 'a'") }
    #expect(throws: range) { try connection.integer("SELECT ?") }
    #expect(throws: range) { try connection.run("SELECT ?", .null, .null) }
    #expect(throws: tooBig) {
      try connection.blob("SELECT ?", .blob(Data(repeating: 1, count: 10_001)))
    }
    #expect(throws: tooBig) { try connection.blob("SELECT zeroblob(1000000000)") }
    #expect(throws: SQLiteError(code: 21)) { try connection.run(" -- nothing") }
  }

  @Test("a statement starts anew with other values")
  func again() throws {
    let connection = try SQLiteConnection(.memory)
    let statement = try SQLiteStatement("SELECT ? UNION ALL SELECT 9", on: connection)
    for number in [Int64(1), 2] {
      try statement.bind([.integer(number)])
      #expect(try statement.step() && statement.integer(0) == number)
    }
    #expect(try statement.step() && statement.integer(0) == 9)
    #expect(try !statement.step())
  }

  @Test("a transaction is all or nothing, whatever fails, and the next one works")
  func transactions() throws {
    let connection = try SQLiteConnection(.memory)
    try connection.execute("CREATE TABLE t (a INTEGER UNIQUE)")
    #expect(throws: Refused.self) {
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (?)", .integer(1))
        throw Refused()
      }
    }
    // SQLITE_CONSTRAINT_UNIQUE
    #expect(throws: SQLiteError(code: 2067)) {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (2); INSERT INTO t VALUES (2)")
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    let id = try connection.transaction {
      try connection.run("INSERT INTO t VALUES (?)", .integer(3))
      return connection.lastInsertedRowID
    }
    #expect(try id == 1 && connection.changes == 1 && connection.integer("SELECT a FROM t") == 3)
  }

  @Test("a writer waits for another so long, no longer, and nothing of its own stays")
  func busy() throws {
    let folder = try TemporaryFolder()
    let (one, two) = (try Self.connection(folder), try Self.connection(folder, busyMilliseconds: 50))
    try one.execute("CREATE TABLE t (a)")
    try one.transaction {
      let start = ContinuousClock.now
      #expect(throws: SQLiteError(code: 5)) { try two.transaction { try two.execute("INSERT INTO t VALUES (1)") } }
      #expect(ContinuousClock.now - start >= .milliseconds(40))
    }
    try two.transaction { try two.execute("INSERT INTO t VALUES (2)") }
    #expect(try one.integer("SELECT sum(a) FROM t") == 2)
  }

  @Test("a closed connection refuses, and may be closed again")
  func closed() throws {
    let connection = try SQLiteConnection(.memory)
    try connection.close()
    try connection.close()
    #expect(throws: SQLiteError(code: 21)) { try connection.execute("SELECT 1") }
    #expect(throws: SQLiteError(code: 21)) { try connection.integer("SELECT 1") }
    #expect(throws: SQLiteError(code: 21)) { try connection.transaction {} }
    #expect(connection.lastInsertedRowID == 0 && connection.changes == 0)
  }

  @Test("a connection with a statement under way stays open")
  func closedTooSoon() throws {
    let connection = try SQLiteConnection(.memory)
    do {
      let statement = try SQLiteStatement("SELECT 1 UNION SELECT 2", on: connection)
      #expect(try statement.step())
      #expect(throws: SQLiteError(code: 5)) { try connection.close() }
      #expect(try statement.step())
    }
    try connection.close()
  }

  @Test("a file is only ever a path: no URI, no special name, none made")
  func names() throws {
    for name in ["", ":memory:", "file:x?mode=memory", "file::memory:", "/no/such/folder/file"] {
      #expect("\(name)") {
        try SQLiteConnection(.file(name))
      } throws: {
        ($0 as? SQLiteError)?.code == 14
      }
    }
  }

  @Test("no statement loads code, changes the schema behind SQLite's back, or runs what a file brings along")
  func defences() throws {
    let connection = try SQLiteConnection(.memory)
    #expect(throws: SQLiteError(code: 1)) { try connection.execute("SELECT load_extension('x')") }
    try connection.execute("PRAGMA writable_schema = ON; PRAGMA journal_mode = OFF; CREATE TABLE t (a)")
    #expect(throws: SQLiteError(code: 1)) { try connection.execute("DELETE FROM sqlite_schema") }
    #expect(try connection.text("PRAGMA journal_mode") == "memory")
    try connection.execute(
      """
      CREATE TABLE told (a); CREATE TRIGGER tell AFTER INSERT ON t BEGIN INSERT INTO told VALUES (new.a); END;
      CREATE VIEW v AS SELECT a FROM t; INSERT INTO t VALUES (1);
      """)
    #expect(try connection.integer("SELECT count(*) FROM told") == 0)
    #expect(throws: SQLiteError(code: 1)) { try connection.integer("SELECT a FROM v") }
    #expect(throws: SQLiteError(code: 1)) { try connection.text("SELECT \"no such column\"") }
    #expect(try connection.integer("PRAGMA trusted_schema") == 0)
    #expect(try connection.integer("PRAGMA cell_size_check") == 1)
  }
}
