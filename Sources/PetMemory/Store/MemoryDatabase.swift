import Crypto
import FoundationEssentials
import GRDB

/// The SQLite file of a store: opened, checked, migrated and unlocked.
struct MemoryDatabase: Sendable {
  let queue: DatabaseQueue
  let seal: FactSeal

  /// - Throws: what SQLite says, or a ``MemoryError``.
  init(_ path: String, key: MemoryKey?, isNew: Bool) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 1
    // Statements in errors and logs would hold what is remembered.
    configuration.publicStatementArguments = false
    configuration.prepareDatabase { db in
      // What is deleted is overwritten; no temporary file ever holds a memory; a few pages are enough of a cache.
      try db.execute(
        sql: """
          PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -256; PRAGMA trusted_schema = OFF;
          """)
    }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    // A fact that was told is on disk, even if the power fails; GRDB asks for less with a write-ahead log.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    let migrator = Self.migrator
    if !isNew {
      let answer = try queue.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
      guard answer == "ok" else { throw MemoryError.damaged(path: path) }
      guard try !queue.read(migrator.hasBeenSuperseded) else { throw MemoryError.newer(path: path) }
    }
    try migrator.migrate(queue)
    seal = try Self.unlock(queue, path, key)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      // All words are in `body`, which may be sealed; numbers that change with every recall are beside it.
      try db.execute(
        sql: """
          CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
          CREATE TABLE fact (
            id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL, last_used INTEGER NOT NULL, uses INTEGER NOT NULL,
            expires INTEGER, superseded_by INTEGER);
          """)
    }
    return migrator
  }

  /// A new file is sealed with the key that is given, or never; the sealed check tells a wrong key from a broken file.
  private static func unlock(_ queue: DatabaseQueue, _ path: String, _ key: MemoryKey?) throws -> FactSeal {
    let check = Data("pet memory".utf8)
    return try queue.writeWithoutTransaction { db in
      var seal = FactSeal(key: nil)
      try db.inTransaction(.immediate) {
        func meta(_ name: String) throws -> Data? {
          try Data.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name])
        }
        guard let kind = try meta("seal") else {
          var generator = SystemRandomNumberGenerator()
          let salt = (0..<MemoryKey.saltBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
          seal = FactSeal(key: try key?.derived(salt: salt))
          let rows = [
            ("seal", Data((key == nil ? "none" : "chacha20-poly1305").utf8)), ("salt", Data(salt)),
            ("check", try seal.sealed(check, place: "check")),
          ]
          for (name, value) in rows {
            try db.execute(sql: "INSERT INTO meta (name, value) VALUES (?, ?)", arguments: [name, value])
          }
          return .commit
        }
        guard let salt = try meta("salt"), let sealed = try meta("check") else { throw MemoryError.damaged(path: path) }
        let isSealed = kind != Data("none".utf8)
        guard isSealed || key == nil else { throw MemoryError.notSealed(path: path) }
        guard !isSealed || key != nil else { throw MemoryError.keyNeeded(path: path) }
        seal = FactSeal(key: try key?.derived(salt: Array(salt)))
        guard (try? seal.opened(sealed, place: "check")) == check else { throw MemoryError.wrongKey(path: path) }
        return .commit
      }
      return seal
    }
  }

  /// Moves the log into the file and cuts it to nothing, so that what was deleted is nowhere.
  func erase(_ db: Database, _ path: String) throws {
    let row = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    guard row?[0] == 0 else { throw MemoryError.busy(path: path) }
  }
}

extension MemoryError {
  /// What an error of SQLite, GRDB or the seal means.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as MemoryError: self = error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: self = .damaged(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
      case .SQLITE_FULL: self = .full(path: path)
      // A database, and a whole one, but with other tables.
      case .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_CONSTRAINT: self = .damaged(path: path)
      default: self = .database(path: path, code: error.extendedResultCode.rawValue)
      }
    default: self = .damaged(path: path)
    }
  }
}
