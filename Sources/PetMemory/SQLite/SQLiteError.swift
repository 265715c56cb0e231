import CSQLite

/// What SQLite answered instead of doing as it was asked. Its messages quote what is stored: only the code is kept.
package struct SQLiteError: Error, Equatable {
  /// The extended result code: https://www.sqlite.org/rescode.html.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// The kind of error, without its details.
  package var primaryCode: Int32 { code & 0xFF }

  static func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code) }
  }
}
