// SPDX-License-Identifier: Apache-2.0
/// The tables of a store by version, and what a file is by the numbers in its header. Pure.
package enum MemorySchema {
  package enum Standing: Sendable, Equatable {
    /// A store of this version, once the steps from that one on are taken; 0: nothing is there yet.
    case mine(since: Int)
    /// A store of a later version.
    case newer
    /// Another program's database.
    case foreign
  }

  /// "PetM", in `PRAGMA application_id`.
  package static let application: Int64 = 0x5065_744D
  /// In `PRAGMA user_version`.
  package static var version: Int { steps.count }

  /// Each brings a store from the version of its index to the next.
  static let steps = [
    // All words are in `body`, which may be sealed; numbers that change with every recall are beside it.
    """
    CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE fact (
      id INTEGER PRIMARY KEY AUTOINCREMENT, body BLOB NOT NULL, last_used INTEGER NOT NULL, uses INTEGER NOT NULL,
      expires INTEGER, superseded_by INTEGER) STRICT;
    """,
    // Every body is sealed with the store's own key, and the table is authenticated: see `MemoryDatabase`.
    "",
  ]

  /// - Parameter tables: how many tables, indices and the like there are.
  package static func standing(application: Int64, version: Int64, tables: Int64) -> Standing {
    // A program that was killed in the middle of making a store leaves an empty one.
    if application == 0 && version == 0 && tables == 0 { return .mine(since: 0) }
    guard application == Self.application && version > 0 else { return .foreign }
    return version > Self.version ? .newer : .mine(since: Int(version))
  }
}
