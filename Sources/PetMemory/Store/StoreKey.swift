// SPDX-License-Identifier: Apache-2.0
/// The store's own random keys, in a file beside the database. Once that file is overwritten, nothing sealed with them can be
/// read, wherever a file system or a log left a copy.
struct StoreKey: Sendable, Equatable {
  /// Together one block: too long for file systems that keep short files among their metadata, and copy them with a journal.
  static let halfBytes = 2048

  /// For facts: another after each fact that is forgotten.
  let rows: [UInt8]
  /// For what else is kept of conversations: another once everything is forgotten.
  let beside: [UInt8]

  init() { (rows, beside) = (Self.random(), Self.random()) }

  /// Another key for facts, beside the same.
  init(replacingRowsOf other: StoreKey) { (rows, beside) = (Self.random(), other.beside) }

  /// Nil for bytes that no key has.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 2 * Self.halfBytes, bytes.contains(where: { $0 != 0 }) else { return nil }
    (rows, beside) = (Array(bytes[..<Self.halfBytes]), Array(bytes[Self.halfBytes...]))
  }

  var bytes: [UInt8] { rows + beside }

  private static func random() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<halfBytes).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}
