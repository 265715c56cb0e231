import FoundationEssentials
import GRDB

/// How a fact is written into the table `fact`.
enum FactRow {
  /// What says anything about the person, and is sealed where there is a key.
  private struct Body: Codable {
    var kind: Fact.Kind
    var subject: String
    var topic: String
    var value: String
    var text: String
    var source: FactSource
    var confidence: Double
    var importance: Double
    var created: Int64
  }

  static func all(_ db: Database, _ seal: FactSeal) throws -> [Fact] {
    let decoder = JSONDecoder()
    return try Row.fetchAll(db, sql: "SELECT id, body, last_used, uses, expires, superseded_by FROM fact ORDER BY id")
      .map { row in
        let id: Int64 = row[0]
        let body = try decoder.decode(Body.self, from: seal.opened(row[1], place: place(id)))
        return Fact(
          id: id, kind: body.kind, subject: body.subject, topic: body.topic, value: body.value, text: body.text,
          source: body.source, confidence: body.confidence, importance: body.importance, created: body.created,
          lastUsed: row[2], uses: row[3], expires: row[4], supersededBy: row[5])
      }
  }

  /// A row for `fact`, whose id it gets from the table.
  static func insert(_ fact: Fact, _ db: Database, _ seal: FactSeal) throws -> Int64 {
    // The seal is bound to the id, which is known only now.
    try db.execute(
      sql: "INSERT INTO fact (body, last_used, uses, expires) VALUES (x'', ?, 0, ?)",
      arguments: [fact.lastUsed, fact.expires])
    let id = db.lastInsertedRowID
    try write(fact, as: id, db, seal)
    return id
  }

  static func update(_ fact: Fact, _ db: Database, _ seal: FactSeal) throws { try write(fact, as: fact.id, db, seal) }

  private static func write(_ fact: Fact, as id: Int64, _ db: Database, _ seal: FactSeal) throws {
    let body = Body(
      kind: fact.kind, subject: fact.subject, topic: fact.topic, value: fact.value, text: fact.text,
      source: fact.source, confidence: fact.confidence, importance: fact.importance, created: fact.created)
    try db.execute(
      sql: "UPDATE fact SET body = ?, last_used = ?, uses = ?, expires = ?, superseded_by = ? WHERE id = ?",
      arguments: [
        try seal.sealed(JSONEncoder().encode(body), place: place(id)), fact.lastUsed, fact.uses, fact.expires,
        fact.supersededBy, id,
      ])
  }

  private static func place(_ id: Int64) -> String { "fact \(id)" }
}
