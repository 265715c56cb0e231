// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials

/// A statement as SQLite runs it; it is given back when it goes out of scope, on whatever path.
///
/// Columns are counted from 0 and must have the type that is asked for: SQLite would convert, and hide damage.
package struct SQLiteStatement: ~Copyable {
  private let handle: OpaquePointer
  /// Must outlive the statement.
  private let connection: SQLiteConnection

  /// - Parameter sql: one statement; what comes after it is not looked at.
  package init(_ sql: String, on connection: SQLiteConnection) throws(SQLiteError) {
    var handle: OpaquePointer?
    let opened = try connection.opened()
    try SQLiteError.check(sqlite3_prepare_v2(opened, sql, -1, &handle, nil), on: opened)
    // Nothing but spaces and comments.
    guard let handle else { throw SQLiteError(code: SQLITE_MISUSE) }
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Starts anew, with one value for each `?`.
  /// - Throws: SQLITE_RANGE for fewer or more of them.
  package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    reset()
    guard values.count == Int(sqlite3_bind_parameter_count(handle)) else { throw SQLiteError(code: SQLITE_RANGE) }
    for (index, value) in zip(Int32(1)..., values) { try SQLiteError.check(bind(value, index)) }
  }

  /// - Returns: whether there is another row.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code: code, on: sqlite3_db_handle(handle))
    }
  }

  /// Back to before the first row. What went wrong before has been thrown by ``step()``.
  package func reset() { sqlite3_reset(handle) }

  package func integer(_ column: Int32) throws(SQLiteError) -> Int64? {
    try isNull(column, or: SQLITE_INTEGER) ? nil : sqlite3_column_int64(handle, column)
  }

  package func text(_ column: Int32) throws(SQLiteError) -> String? {
    try isNull(column, or: SQLITE_TEXT)
      ? nil : String(decoding: bytes(sqlite3_column_text(handle, column), column), as: UTF8.self)
  }

  package func blob(_ column: Int32) throws(SQLiteError) -> Data? {
    try isNull(column, or: SQLITE_BLOB) ? nil : Data(bytes(sqlite3_column_blob(handle, column), column))
  }

  private func isNull(_ column: Int32, or type: Int32) throws(SQLiteError) -> Bool {
    let found = sqlite3_column_type(handle, column)
    guard found == SQLITE_NULL || found == type else { throw SQLiteError(code: SQLITE_MISMATCH) }
    return found == SQLITE_NULL
  }

  /// What SQLite holds until the next step. It has no address for no bytes.
  private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) throws(SQLiteError) -> UnsafeRawBufferPointer {
    let count = Int(sqlite3_column_bytes(handle, column))
    guard start != nil || count == 0 else { throw SQLiteError(code: SQLITE_NOMEM) }
    return UnsafeRawBufferPointer(start: start, count: count)
  }

  private func bind(_ value: SQLiteValue, _ index: Int32) -> Int32 {
    switch value {
    case .null:
      return sqlite3_bind_null(handle, index)
    case .integer(let number):
      return sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      return Array(text.utf8).withUnsafeBytes { csqlite_bind_text(handle, index, $0.baseAddress, UInt64($0.count)) }
    case .blob(let data):
      return data.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, UInt64($0.count)) }
    }
  }
}
