// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

/// The rows of a store as they are written; for the body of `MemoryDatabase.write`.
enum SealedRow {
  static func ids(_ database: MemoryDatabase) throws -> [Int64] {
    let row = try SQLiteStatement("SELECT id FROM fact ORDER BY id", on: database.connection)
    var ids: [Int64] = []
    while try row.step() { if let id = try row.integer(0) { ids.append(id) } }
    return ids
  }

  static func text(_ id: Int64, _ database: MemoryDatabase) throws -> String {
    let body = try database.connection.blob("SELECT body FROM fact WHERE id = ?", .integer(id))
    let opened = try database.seal.opened(#require(body), place: "fact \(id)")
    return String(decoding: opened, as: UTF8.self)
  }

  static func set(_ id: Int64, _ text: String, _ database: MemoryDatabase) throws {
    let sealed = try database.seal.sealed(Data(text.utf8), place: "fact \(id)")
    try database.connection.run("UPDATE fact SET body = ? WHERE id = ?", .blob(sealed), .integer(id))
  }
}

extension String {
  func replacing(_ words: String, with other: String) -> String {
    guard let range = firstRange(of: words) else { return self }
    return self[..<range.lowerBound] + other + self[range.upperBound...]
  }
}
