import CSQLite
import Crypto
import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The SQLite database of a store: opened, checked, migrated and unlocked.
package struct MemoryDatabase {
  package let connection: SQLiteConnection
  let seal: FactSeal

  /// - Parameter path: for errors.
  /// - Throws: what SQLite says, or a ``MemoryError``.
  package init(_ place: SQLiteConnection.Place, path: String, key: MemoryKey? = nil) throws {
    connection = try SQLiteConnection(place)
    // What is deleted is overwritten; no temporary file ever holds a memory; a few pages are enough of a cache; a fact that
    // was told is on disk, even if the power fails.
    try connection.execute(
      """
      PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -256;
      PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
      """)
    try Self.check(connection, path)
    // Nothing is written before it is known whose file it is. In one transaction: another program may be making it.
    _ = try connection.transaction(.reading) { [connection] in try Self.version(connection, path) }
    // In memory there is no log. Where else there is none, the file system cannot share a file between programs.
    let mode = try Self.log(connection)
    guard mode == "wal" || mode == "memory" else { throw SQLiteError(code: SQLITE_CANTOPEN) }
    seal = try connection.transaction { [connection] in
      try Self.migrate(connection, path)
      return try Self.unlock(connection, path, key)
    }
  }

  /// Looks at every page. One that the system could not read is told like one that is broken, with the code of the error in its words;
  /// for it a sound file must not be set aside. Where there is no code, a second look decides.
  private static func check(_ connection: SQLiteConnection, _ path: String) throws {
    for _ in 0..<2 {
      let found = try connection.text("PRAGMA quick_check(1)") ?? ""
      if found == "ok" { return }
      guard let code = found.split(separator: "=").last.flatMap({ Int32($0) }) else { continue }
      if [SQLITE_IOERR, SQLITE_NOMEM].contains(code & 0xFF) { throw SQLiteError(code: code) }
    }
    throw MemoryError.damaged(path: path)
  }

  /// Has changes go to a log first. To begin one, SQLite waits for nobody who reads just then, whatever its patience: that is done here.
  /// - Returns: how changes are made from now on.
  private static func log(_ connection: SQLiteConnection) throws -> String? {
    let deadline = ContinuousClock.now + .seconds(30)
    while true {
      do throws(SQLiteError) {
        return try connection.text("PRAGMA journal_mode = WAL")
      } catch {
        guard error.primaryCode == SQLITE_BUSY, ContinuousClock.now < deadline else { throw error }
      }
      usleep(2000)
    }
  }

  /// Moves the log into the file and cuts it to nothing, so that what was deleted is nowhere.
  func erase(_ path: String) throws {
    guard try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { throw MemoryError.busy(path: path) }
  }

  /// The version of the tables that are there; 0: none.
  private static func version(_ connection: SQLiteConnection, _ path: String) throws -> Int {
    let standing = MemorySchema.standing(
      application: try connection.integer("PRAGMA application_id") ?? 0,
      version: try connection.integer("PRAGMA user_version") ?? 0,
      tables: try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0)
    switch standing {
    case .mine(let version): return version
    case .newer: throw MemoryError.newer(path: path)
    case .foreign: throw MemoryError.damaged(path: path)
    }
  }

  /// Another program may have done it since the version was first read.
  private static func migrate(_ connection: SQLiteConnection, _ path: String) throws {
    let steps = MemorySchema.steps.dropFirst(try version(connection, path))
    guard !steps.isEmpty else { return }
    for step in steps { try connection.execute(step) }
    try connection.execute(
      """
      PRAGMA application_id = \(MemorySchema.application); PRAGMA user_version = \(MemorySchema.version)
      """)
  }

  /// A new file is sealed with the key that is given, or never; the sealed check tells a wrong key from a broken file.
  private static func unlock(_ connection: SQLiteConnection, _ path: String, _ key: MemoryKey?) throws -> FactSeal {
    let check = Data("pet memory".utf8)
    func meta(_ name: String) throws(SQLiteError) -> Data? {
      try connection.blob("SELECT value FROM meta WHERE name = ?", .text(name))
    }
    guard let kind = try meta("seal") else {
      var generator = SystemRandomNumberGenerator()
      let salt = (0..<MemoryKey.saltBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let seal = FactSeal(key: try key?.derived(salt: salt))
      let rows = [
        ("seal", Data((key == nil ? "none" : "chacha20-poly1305").utf8)), ("salt", Data(salt)),
        ("check", try seal.sealed(check, place: "check")),
      ]
      for (name, value) in rows {
        try connection.run("INSERT INTO meta (name, value) VALUES (?, ?)", .text(name), .blob(value))
      }
      return seal
    }
    guard let salt = try meta("salt"), let sealed = try meta("check") else { throw MemoryError.damaged(path: path) }
    let isSealed = kind != Data("none".utf8)
    guard isSealed || key == nil else { throw MemoryError.notSealed(path: path) }
    guard !isSealed || key != nil else { throw MemoryError.keyNeeded(path: path) }
    let seal = FactSeal(key: try key?.derived(salt: Array(salt)))
    guard (try? seal.opened(sealed, place: "check")) == check else { throw MemoryError.wrongKey(path: path) }
    return seal
  }
}

extension MemoryError {
  /// What an error of SQLite or the seal means.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as MemoryError: self = error
    case let error as SQLiteError:
      switch error.primaryCode {
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: self = .damaged(path: path)
      case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(path: path)
      case SQLITE_FULL: self = .full(path: path)
      // A database, and a whole one, but with other tables, or with rows that no store writes.
      case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG: self = .damaged(path: path)
      default: self = .database(path: path, code: error.code)
      }
    default: self = .damaged(path: path)
    }
  }
}
