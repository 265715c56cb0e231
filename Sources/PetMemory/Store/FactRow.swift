// SPDX-License-Identifier: Apache-2.0
import CSQLite
import FoundationEssentials

/// How a fact is written into the table `fact`.
enum FactRow {
  /// What says anything about the person, and is sealed.
  private struct Body: Codable {
    struct Source: Codable {
      var conversation: String
      var turn: Int
      var origin: String
    }

    // Not the types of this version: a later one has more of them.
    var kind: String
    var subject: String
    var topic: String
    var value: String
    var text: String
    var source: Source
    var confidence: Double
    var importance: Double
    var created: Int64
    /// Earlier versions have none.
    var quiet: Bool?
  }

  /// The facts of kinds that this version knows; those of later ones stay where they are.
  static func all(_ connection: SQLiteConnection, _ seal: FactSeal) throws -> [Fact] {
    let decoder = JSONDecoder()
    let row = try SQLiteStatement(
      "SELECT id, body, last_used, uses, expires, superseded_by FROM fact ORDER BY id", on: connection)
    var facts: [Fact] = []
    while try row.step() {
      guard let id = try row.integer(0), let sealed = try row.blob(1), let lastUsed = try row.integer(2),
        let uses = try row.integer(3).flatMap(Int.init(exactly:))
      else { throw SQLiteError(code: SQLITE_MISMATCH) }
      let body = try decoder.decode(Body.self, from: seal.opened(sealed, place: place(id)))
      guard let kind = Fact.Kind(rawValue: body.kind), let origin = FactSource.Origin(rawValue: body.source.origin)
      else { continue }
      let source = FactSource(conversation: body.source.conversation, turn: body.source.turn, origin: origin)
      var fact = Fact(
        id: id, kind: kind, subject: body.subject, topic: body.topic, value: body.value, text: body.text,
        source: source, confidence: body.confidence, importance: body.importance, created: body.created,
        lastUsed: lastUsed, uses: uses, expires: try row.integer(4), supersededBy: try row.integer(5))
      fact.isQuiet = body.quiet == true
      facts.append(fact)
    }
    return facts
  }

  /// A row for `fact`, whose id it gets from the table.
  static func insert(_ fact: Fact, _ connection: SQLiteConnection, _ seal: FactSeal) throws -> Int64 {
    // The seal is bound to the id, which is known only now.
    try connection.run(
      "INSERT INTO fact (body, last_used, uses, expires) VALUES (x'', ?, 0, ?)",
      .integer(fact.lastUsed), .optional(fact.expires))
    let id = connection.lastInsertedRowID
    try write(fact, as: id, connection, seal)
    return id
  }

  static func update(_ fact: Fact, _ connection: SQLiteConnection, _ seal: FactSeal) throws {
    try write(fact, as: fact.id, connection, seal)
  }

  static func use(_ fact: Fact, _ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run(
      "UPDATE fact SET last_used = ?, uses = ? WHERE id = ?",
      .integer(fact.lastUsed), .integer(Int64(fact.uses)), .integer(fact.id))
  }

  static func delete(_ id: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.run("DELETE FROM fact WHERE id = ?", .integer(id))
  }

  /// Deletes a fact and those in whose place it came, also of kinds that this version does not know.
  /// - Returns: whether there was one.
  static func deleteWithFormer(_ id: Int64, _ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
    try connection.run(
      """
      WITH RECURSIVE gone (id) AS (
        SELECT id FROM fact WHERE id = ? UNION SELECT fact.id FROM fact JOIN gone ON fact.superseded_by = gone.id)
      DELETE FROM fact WHERE id IN gone
      """, .integer(id))
    return connection.changes > 0
  }

  /// Writes every body anew, also of kinds that this version does not know.
  /// - Parameter sealed: from what is there, and its place.
  static func reseal(_ connection: SQLiteConnection, _ sealed: (Data, String) throws -> Data) throws {
    var bodies: [(id: Int64, body: Data)] = []
    do {
      let row = try SQLiteStatement("SELECT id, body FROM fact", on: connection)
      while try row.step() {
        guard let id = try row.integer(0), let body = try row.blob(1) else { throw SQLiteError(code: SQLITE_MISMATCH) }
        bodies.append((id, body))
      }
    }
    for (id, body) in bodies {
      try connection.run("UPDATE fact SET body = ? WHERE id = ?", .blob(try sealed(body, place(id))), .integer(id))
    }
  }

  private static func write(_ fact: Fact, as id: Int64, _ connection: SQLiteConnection, _ seal: FactSeal) throws {
    let source = Body.Source(
      conversation: fact.source.conversation, turn: fact.source.turn, origin: fact.source.origin.rawValue)
    let body = Body(
      kind: fact.kind.rawValue, subject: fact.subject, topic: fact.topic, value: fact.value, text: fact.text,
      source: source, confidence: fact.confidence, importance: fact.importance, created: fact.created,
      quiet: fact.isQuiet ? true : nil)
    try connection.run(
      "UPDATE fact SET body = ?, last_used = ?, uses = ?, expires = ?, superseded_by = ? WHERE id = ?",
      .blob(try seal.sealed(JSONEncoder().encode(body), place: place(id))), .integer(fact.lastUsed),
      .integer(Int64(fact.uses)), .optional(fact.expires), .optional(fact.supersededBy), .integer(id))
  }

  private static func place(_ id: Int64) -> String { "fact \(id)" }
}
