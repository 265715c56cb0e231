// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials

/// A connection to an SQLite database that trusts no file.
///
/// Any thread may use it, but one at a time. It is not `Sendable`, so the compiler holds its one owner, an actor, to that;
/// SQLite's own lock around every call (SQLITE_OPEN_FULLMUTEX) would keep nothing more apart.
package final class SQLiteConnection {
  package enum Place {
    /// A file that exists. Its name is only ever a path, never a URI or one of SQLite's special names.
    case file(String)
    /// Nowhere on disk; gone when the connection is.
    case memory
  }

  /// Nil once closed.
  private var handle: OpaquePointer?

  /// - Parameters:
  ///   - busyMilliseconds: how long to wait for other connections to the file.
  ///   - longest: bytes; longer rows and texts, which only a hostile file would have, are refused.
  package init(_ place: Place, busyMilliseconds: Int32 = 30_000, longest: Int32 = 1 << 20) throws(SQLiteError) {
    // Built without threads, SQLite would not even keep two connections apart.
    guard sqlite3_threadsafe() != 0 else { throw SQLiteError(code: SQLITE_MISUSE) }
    handle = try Self.open(place)
    do {
      try protect()
      try SQLiteError.check(sqlite3_busy_timeout(handle, busyMilliseconds))
    } catch {
      sqlite3_close_v2(handle)
      handle = nil
      throw error
    }
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest)
  }

  deinit { sqlite3_close_v2(handle) }

  /// What the last statement inserted.
  package var lastInsertedRowID: Int64 { handle.map(sqlite3_last_insert_rowid) ?? 0 }

  /// How many rows the last statement changed.
  package var changes: Int64 { handle.map(sqlite3_changes64) ?? 0 }

  /// Whether a transaction is under way.
  package var isInTransaction: Bool { handle.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Whether its file was removed or renamed, or another lies in its place: one `stat`.
  package var hasMoved: Bool {
    guard let handle else { return false }
    var moved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }

  /// Closes the file; everything afterwards is refused with SQLITE_MISUSE. To close twice is fine.
  package func close() throws(SQLiteError) {
    try SQLiteError.check(sqlite3_close(handle))
    handle = nil
  }

  /// Runs statements that have no values and whose rows do not matter.
  package func execute(_ sql: String) throws(SQLiteError) {
    let handle = try opened()
    try SQLiteError.check(sqlite3_exec(handle, sql, nil, nil, nil), on: handle)
  }

  /// Runs one statement whose rows do not matter, with one value for each `?`.
  package func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) {
    let statement = try SQLiteStatement(sql, on: self)
    try statement.bind(values)
    while try statement.step() {}
  }

  /// The number in the first column of the first row; nil where there is no row, or a null.
  package func integer(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int64? {
    try first(sql, values) { row throws(SQLiteError) in try row.integer(0) }
  }

  /// The text in the first column of the first row; nil where there is no row, or a null.
  package func text(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> String? {
    try first(sql, values) { row throws(SQLiteError) in try row.text(0) }
  }

  /// The bytes in the first column of the first row; nil where there is no row, or a null.
  package func blob(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Data? {
    try first(sql, values) { row throws(SQLiteError) in try row.blob(0) }
  }

  package enum TransactionKind: String {
    /// Others may write meanwhile; what is read is of one moment.
    case reading = "DEFERRED"
    /// Others may read meanwhile, but not write.
    case writing = "IMMEDIATE"
  }

  /// All that `body` does, or, if anything fails, nothing.
  /// - Throws: what `body` throws; ``SQLiteError``.
  package func transaction<Result>(
    _ kind: TransactionKind = .writing, _ body: () throws -> Result
  ) throws -> Result {
    try execute("BEGIN \(kind.rawValue)")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite has ended it itself where the disk is full or fails.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }

  func opened() throws(SQLiteError) -> OpaquePointer {
    guard let handle else { throw SQLiteError(code: SQLITE_MISUSE) }
    return handle
  }

  private func first<Value>(
    _ sql: String, _ values: [SQLiteValue], _ read: (borrowing SQLiteStatement) throws(SQLiteError) -> Value?
  ) throws(SQLiteError) -> Value? {
    let statement = try SQLiteStatement(sql, on: self)
    try statement.bind(values)
    return try statement.step() ? try read(statement) : nil
  }

  private static func open(_ place: Place) throws(SQLiteError) -> OpaquePointer {
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var name = ":memory:"
    switch place {
    case .memory:
      flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
    case .file(let path):
      // Otherwise ":memory:", "file:x?mode=memory" and an empty name would be what they look like.
      name = path.hasPrefix("/") ? path : "./" + path
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code == SQLITE_OK ? SQLITE_NOMEM : code, on: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    return handle
  }

  /// A file that somebody prepared can neither run code nor turn a read into a write: https://www.sqlite.org/security.html.
  private func protect() throws(SQLiteError) {
    let switches = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
      (SQLITE_DBCONFIG_DQS_DDL, 0),
    ]
    for (option, on) in switches { try SQLiteError.check(csqlite_switch(handle, option, Int32(on))) }
    try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }
}
