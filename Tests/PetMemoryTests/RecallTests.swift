// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

@Suite("What is recalled", .serialized)
struct RecallTests {
  private struct Recall: Decodable {
    struct Item: Decodable {
      let said: String
      let asked: String
      let expect: String
    }
    let facts: [Item]
    let others: [String]
  }

  /// All facts told in turn 1, then a hundred other turns, then the questions after the store was opened again: how many
  /// answers are among the `count` facts that a model is told.
  private static func share(_ name: String, count: Int) async throws -> (
    kept: Int, recalled: Int, of: Int, missed: [String]
  ) {
    let recall = try JSONDecoder().decode(Recall.self, from: Fixture.data(name))
    let folder = try TemporaryFolder()
    do {
      let store = try MemoryStore(folder.file("memory.sqlite"))
      try await store.learn(from: Fixture.turn(recall.facts.map(\.said).joined(separator: "\n")))
      for number in 1...100 {
        let line = recall.others[(number - 1) % recall.others.count]
        let time = Fixture.now + Int64(number) * 60
        try await store.learn(from: Fixture.turn(line, number + 1, at: time))
        let told = try await store.recall(for: line, count: count, today: CivilDay(at: time), at: time)
        try await store.use(told.map(\.id), at: time)
      }
      try await store.close()
    }
    let store = try MemoryStore(folder.file("memory.sqlite"))
    #expect(store.opening == .opened)
    let later = Fixture.now + 3 * 3600
    let all = try await store.facts(at: later)
    var missed: [String] = []
    var kept = 0
    for item in recall.facts {
      let isKept = all.contains { $0.text.lowercased().contains(item.expect.lowercased()) }
      if isKept { kept += 1 }
      let found = try await store.recall(for: item.asked, count: count, today: CivilDay(at: later), at: later)
      #expect(found.count <= count)
      if !found.contains(where: { $0.text.lowercased().contains(item.expect.lowercased()) }) {
        missed.append("\(item.asked) -> \(item.expect)\(isKept ? "" : " (never learned)")")
      }
    }
    return (kept, recall.facts.count - missed.count, recall.facts.count, missed)
  }

  @Test(
    "of 50 facts told in turn 1, 90 of 100 are told to the model when asked about, 100 turns and a restart later",
    arguments: [4, 8])
  func fifty(_ count: Int) async throws {
    let share = try await Self.share("recall.json", count: count)
    #expect(share.recalled * 10 >= share.of * 9, "\(share.missed)")
  }

}
