// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// What SQLite answered instead of doing as it was asked. Its messages quote what is stored: only the code is kept.
package struct SQLiteError: Error, Equatable {
  /// The extended result code: https://www.sqlite.org/rescode.html.
  package let code: Int32
  /// `errno` of an open, a read or a write that failed; 0: none did, or it is not known.
  package let systemCode: Int32

  /// - Parameter connection: asked for `errno`, which it keeps until its next call.
  package init(code: Int32, on connection: OpaquePointer? = nil) {
    self.code = code
    let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
    systemCode = isOfSystem ? connection.map { sqlite3_system_errno($0) } ?? 0 : 0
  }

  /// The kind of error, without its details.
  package var primaryCode: Int32 { code & 0xFF }

  static func check(_ code: Int32, on connection: OpaquePointer? = nil) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code: code, on: connection) }
  }
}
