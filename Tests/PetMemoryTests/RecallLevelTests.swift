// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

@Suite("How much is remembered, and answered by rule")
struct RecallLevelTests {
  /// `expect` is part of the fact; of `needs`, all parts are.
  private struct Item: Decodable {
    let said: String
    let asked: String
    let expect: String?
    let needs: [String]?

    func isIn(_ text: String) -> Bool {
      (needs ?? [expect ?? ""]).allSatisfy { text.lowercased().contains($0.lowercased()) }
    }
  }

  private struct Sets: Decodable { let facts: [Item] }

  private static func items(_ name: String) throws -> [Item] {
    let data = try Fixture.data(name)
    return try (try? JSONDecoder().decode([Item].self, from: data)) ?? JSONDecoder().decode(Sets.self, from: data).facts
  }

  /// The third set is told in passing and asked about from afar, by somebody who has not seen the rules.
  @Test(
    "the level that was reached is held, and no answer is wrong",
    arguments: [("recall.json", 50, 45), ("recall2.json", 23, 18), ("recall3.json", 9, 6)])
  func levels(name: String, recalled: Int, answered: Int) throws {
    let items = try Self.items(name)
    let facts = try Known.facts(items.map(\.said))
    let (question, lines, ranking) = (RecallQuestion(), RecallLines(), FactRanking())
    let today = CivilDay(at: Fixture.now)
    var wrong: [String] = []
    var counts = (recalled: 0, answered: 0)
    for item in items {
      let three = ranking.recall(facts, for: item.asked, count: 3, today: today, at: Fixture.now)
      if three.contains(where: { item.isIn($0.text) }) { counts.recalled += 1 }
      let finding = question.finding(in: item.asked, among: facts, today: today, at: Fixture.now)
      guard case .known = finding, let reply = lines.reply(to: finding, choice: 0) else { continue }
      if item.isIn(reply) { counts.answered += 1 } else { wrong.append("\(item.asked) -> \(reply)") }
    }
    #expect(wrong == [])
    #expect(counts.recalled >= recalled && counts.answered >= answered, "\(counts)")
  }

  @Test("questions, songs, jokes and what others say leave no memory")
  func noFacts() throws {
    let lines = try JSONDecoder().decode([String].self, from: Fixture.data("no_facts.json"))
    let kept = try lines.filter { !FactExtractor().proposals(from: try Fixture.turn($0)).isEmpty }
    #expect(lines.count == 80 && kept == [])
  }
}
