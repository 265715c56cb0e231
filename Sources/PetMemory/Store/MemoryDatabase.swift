// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Crypto
import FoundationEssentials
import PetFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The SQLite database of a store: opened, checked, migrated and unlocked.
///
/// What says anything is sealed (``FactSeal``) with the store's own key (``StoreKey``), and with what the person's key comes to where
/// one is given. The rows, their number and their numbers are authenticated as one: whoever has no key can neither bring back,
/// change nor take away one of them. A whole older copy of the files is not told from them.
///
/// In `meta`: `seal`, what the store is sealed with; `salt`; `rounds`, scrypt's N; `base`, sealed with the person's key alone, tells a
/// wrong one; `check`, sealed with all, tells a wrong own key; `table`, the authentication of the rows.
package final class MemoryDatabase {
  /// What else a change does.
  package enum Forgetting: Sendable {
    /// What went is not to be read again: all facts that stay are sealed with another key.
    case facts
    /// The same, and what else was sealed with the store's own key.
    case everything
  }

  private static let ownSeal = Data("own key".utf8)
  private static let bothSeals = Data("own and given key".utf8)
  private static let checked = Data("pet memory".utf8)

  package let connection: SQLiteConnection
  package private(set) var seal: FactSeal
  /// Whether an earlier version had written the file, which is sealed with another key since.
  let isMigrated: Bool
  private let path: String
  /// Nil in memory.
  private let file: StoreKeyFile?
  private var own: StoreKey
  private let base: SymmetricKey?
  private let salt: [UInt8]

  /// - Parameter path: for errors, and of the file.
  /// - Throws: what SQLite says, or a ``MemoryError``.
  package init(_ place: SQLiteConnection.Place, path: String, key: MemoryKey? = nil) throws {
    self.path = path
    let connection = try SQLiteConnection(place)
    self.connection = connection
    var file: StoreKeyFile?
    if case .file = place { file = StoreKeyFile(of: path) }
    self.file = file
    // What is deleted is overwritten; no temporary file ever holds a memory; a few pages are enough of a cache; a fact that
    // was told is on disk, even if the power fails.
    try connection.execute(
      """
      PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -256;
      PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
      """)
    try Self.check(connection, path)
    // Nothing is written before it is known whose file it is. In one transaction: another program may be making it.
    _ = try connection.transaction(.reading) { try Self.version(connection, path) }
    // In memory there is no log. Where else there is none, the file system cannot share a file between programs.
    let mode = try Self.log(connection)
    guard mode == "wal" || mode == "memory" else { throw SQLiteError(code: SQLITE_CANTOPEN) }
    let unlocked = try connection.transaction { [file] in
      let version = try Self.version(connection, path)
      try Self.migrate(connection, from: version)
      switch version {
      case 0: return try Self.create(connection, path, file, key)
      case 1: return try Self.sealAnew(connection, path, file, key)
      default: return try Self.unlock(connection, path, file, key)
      }
    }
    (own, base, salt, isMigrated) = (unlocked.own, unlocked.base, unlocked.salt, unlocked.isMigrated)
    seal = FactSeal(unlocked.own, base: unlocked.base, salt: unlocked.salt)
    try settle()
    if isMigrated { checkpoint() }
  }

  /// See ``MemoryStore/takesKey(_:)``.
  static func takesKey(_ path: String) -> Bool? {
    guard let connection = try? SQLiteConnection(.file(path)), let kind = try? meta("seal", connection) else {
      return nil
    }
    return kind != ownSeal && kind != Data("none".utf8)
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

  /// All facts, authenticated.
  /// - Throws: ``MemoryError/damaged(path:)`` where somebody without the key changed a row, or their number.
  func facts() throws -> [Fact] {
    if connection.isInTransaction { return try readFacts() }
    var attempts = 0
    while true {
      do {
        return try connection.transaction(.reading) { try readFacts() }
      } catch is MemoryError where attempts < 5 {
        // Another program may have changed the key since this transaction began to read.
        attempts += 1
        usleep(2000)
      }
    }
  }

  private func readFacts() throws -> [Fact] {
    try refresh()
    guard try seal.table(of: connection, matches: Self.meta("table", connection)) else {
      throw MemoryError.damaged(path: path)
    }
    return try FactRow.all(connection, seal)
  }

  /// All that `body` does, or nothing; the table is authenticated anew.
  /// - Parameter forgetting: then the key that sealed what went is overwritten when this returns. O(facts).
  /// - Throws: what `body` throws; ``SQLiteError``; ``MemoryError``.
  package func write<Result>(_ forgetting: Forgetting?, _ body: () throws -> Result) throws -> Result {
    var next: StoreKey?
    let result = try connection.transaction(.writing) {
      try checkPlace()
      try refresh()
      let result = try body()
      if let forgetting, let file {
        try file.settle(on: own)
        let key = forgetting == .everything ? StoreKey() : StoreKey(replacingRowsOf: own)
        let seal = FactSeal(key, base: base, salt: salt)
        try FactRow.reseal(connection) { try seal.sealed(self.seal.opened($0, place: $1), place: $1) }
        try Self.set("check", try seal.sealed(Self.checked, place: "check"), connection)
        try Self.set("table", try seal.table(of: connection), connection)
        try file.propose(key)
        next = key
      } else {
        try Self.set("table", try seal.table(of: connection), connection)
      }
      return result
    }
    if let next {
      (own, seal) = (next, FactSeal(next, base: base, salt: salt))
      try settle()
      if forgetting == .everything { try? connection.execute("VACUUM") }
      checkpoint()
    }
    try checkPlace()
    return result
  }

  /// What is written into a file that has no name is gone when the program ends.
  private func checkPlace() throws(MemoryError) {
    if connection.hasMoved { throw .gone(path: path) }
  }

  /// Destroys the key that the database is not sealed with, if there is one.
  private func settle() throws {
    guard let file else { return }
    try connection.transaction(.writing) {
      try refresh()
      try file.settle(on: own)
    }
  }

  /// Takes the key that the database is sealed with, which another program may have changed.
  private func refresh() throws {
    guard let file, let check = try Self.meta("check", connection) else { return }
    guard (try? seal.opened(check, place: "check")) != Self.checked else { return }
    own = try Self.own(file, base, salt, check)
    seal = FactSeal(own, base: base, salt: salt)
  }

  /// Moves the log into the file and cuts it to nothing, unless another program reads it just then.
  private func checkpoint() { _ = try? connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") }

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
  private static func migrate(_ connection: SQLiteConnection, from version: Int) throws {
    let steps = MemorySchema.steps.dropFirst(version)
    guard !steps.isEmpty else { return }
    for step in steps { try connection.execute(step) }
    try connection.execute(
      """
      PRAGMA application_id = \(MemorySchema.application); PRAGMA user_version = \(MemorySchema.version)
      """)
  }

  private struct Unlocked {
    let own: StoreKey
    let base: SymmetricKey?
    let salt: [UInt8]
    var isMigrated = false
  }

  /// A new store. Where a key says that there was one, that one was cut to nothing.
  private static func create(
    _ connection: SQLiteConnection, _ path: String, _ file: StoreKeyFile?, _ key: MemoryKey?
  ) throws -> Unlocked {
    if let file, file.isThere { throw MemoryError.damaged(path: path) }
    try key?.checkStrength()
    return try begin(connection, file, key)
  }

  /// Of the first version: in the clear, or sealed with the person's key alone.
  private static func sealAnew(
    _ connection: SQLiteConnection, _ path: String, _ file: StoreKeyFile?, _ key: MemoryKey?
  ) throws -> Unlocked {
    guard let kind = try meta("seal", connection), let salt = try meta("salt", connection),
      let check = try meta("check", connection)
    else { throw MemoryError.damaged(path: path) }
    let isSealed = kind != Data("none".utf8)
    guard isSealed || key == nil else { throw MemoryError.notSealed(path: path) }
    guard !isSealed || key != nil else { throw MemoryError.keyNeeded(path: path) }
    let former = try key?.derived(salt: Array(salt), rounds: MemoryKey.formerRounds)
    func opened(_ bytes: Data, _ place: String) throws -> Data {
      guard let former else { return bytes }
      return try FactSeal.opened(bytes, place: place, former)
    }
    guard (try? opened(check, "check")) == checked else { throw MemoryError.wrongKey(path: path) }
    try connection.execute("DELETE FROM meta")
    // A key without a database of this version is what an interrupted change left.
    var unlocked = try begin(connection, file, key, opened)
    unlocked.isMigrated = true
    return unlocked
  }

  /// Seals all with a key that is made here.
  /// - Parameter opened: what a body and its place were before.
  private static func begin(
    _ connection: SQLiteConnection, _ file: StoreKeyFile?, _ key: MemoryKey?,
    _ opened: (Data, String) throws -> Data = { bytes, _ in bytes }
  ) throws -> Unlocked {
    var generator = SystemRandomNumberGenerator()
    let salt = (0..<MemoryKey.saltBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let base = try key?.derived(salt: salt, rounds: MemoryKey.rounds)
    let own = StoreKey()
    let seal = FactSeal(own, base: base, salt: salt)
    try FactRow.reseal(connection) { try seal.sealed(opened($0, $1), place: $1) }
    try set("seal", base == nil ? ownSeal : bothSeals, connection)
    try set("salt", Data(salt), connection)
    if let base {
      try set("rounds", Data("\(MemoryKey.rounds)".utf8), connection)
      try set("base", try FactSeal.sealed(checked, place: "base", base), connection)
    }
    try set("check", try seal.sealed(checked, place: "check"), connection)
    try set("table", try seal.table(of: connection), connection)
    try file?.propose(own)
    return Unlocked(own: own, base: base, salt: salt)
  }

  private static func unlock(
    _ connection: SQLiteConnection, _ path: String, _ file: StoreKeyFile?, _ key: MemoryKey?
  ) throws -> Unlocked {
    guard let file, let kind = try meta("seal", connection), [ownSeal, bothSeals].contains(kind),
      let salt = try meta("salt", connection), let check = try meta("check", connection)
    else { throw MemoryError.damaged(path: path) }
    guard kind == bothSeals || key == nil else { throw MemoryError.notSealed(path: path) }
    guard kind == ownSeal || key != nil else { throw MemoryError.keyNeeded(path: path) }
    var base: SymmetricKey?
    if let key {
      // Not more than a hostile file may cost.
      guard let rounds = try meta("rounds", connection).flatMap({ Int(String(decoding: $0, as: UTF8.self)) }),
        (MemoryKey.formerRounds...MemoryKey.mostRounds).contains(rounds), rounds & (rounds - 1) == 0,
        let sealed = try meta("base", connection)
      else { throw MemoryError.damaged(path: path) }
      let derived = try key.derived(salt: Array(salt), rounds: rounds)
      guard (try? FactSeal.opened(sealed, place: "base", derived)) == checked else {
        throw MemoryError.wrongKey(path: path)
      }
      base = derived
    }
    let own = try own(file, base, Array(salt), check)
    return Unlocked(own: own, base: base, salt: Array(salt))
  }

  /// The key that opens `check`.
  /// - Throws: ``MemoryError/keyMissing(path:)`` where there is none; ``MemoryError/keyDamaged(path:)`` where its file holds none;
  ///   ``MemoryError/damaged(path:)`` where it is another's.
  private static func own(
    _ file: StoreKeyFile, _ base: SymmetricKey?, _ salt: [UInt8], _ check: Data
  ) throws -> StoreKey {
    let candidates = try file.candidates()
    if candidates.isEmpty {
      throw file.isThere ? MemoryError.keyDamaged(path: file.path) : .keyMissing(path: file.path)
    }
    for key in candidates {
      let seal = FactSeal(key, base: base, salt: salt)
      if (try? seal.opened(check, place: "check")) == checked { return key }
    }
    throw MemoryError.damaged(path: file.path)
  }

  private static func meta(_ name: String, _ connection: SQLiteConnection) throws(SQLiteError) -> Data? {
    try connection.blob("SELECT value FROM meta WHERE name = ?", .text(name))
  }

  private static func set(_ name: String, _ value: Data, _ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", .text(name), .blob(value))
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
      case SQLITE_IOERR where [ENOSPC, EDQUOT].contains(error.systemCode): self = .full(path: path)
      case SQLITE_IOERR where error.systemCode == EFBIG: self = .file(path: path, operation: "write", code: EFBIG)
      case SQLITE_NOMEM: self = .file(path: path, operation: "read", code: ENOMEM)
      case _ where SystemLimit(ofFile: error.systemCode) != nil:
        self = .file(path: path, operation: "open", code: error.systemCode)
      // A database, and a whole one, but with other tables, or with rows that no store writes.
      case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_TOOBIG: self = .damaged(path: path)
      default: self = .database(path: path, code: error.code)
      }
    default: self = .damaged(path: path)
    }
  }
}
