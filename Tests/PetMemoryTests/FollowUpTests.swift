// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

@Suite("What is asked about at the next visit")
struct FollowUpTests {
  private static let day: Int64 = 86_400
  /// A Monday.
  private static let monday = CivilDay(number: 20_052)
  private static let told = Int64(monday.number) * day + 36_000

  /// - Parameters:
  ///   - seen: days after it was told when the person was last there.
  ///   - now: days after it was told.
  private static func due(_ line: String, seen: Int64 = 0, now: Int64) async throws -> FollowUp? {
    let store = try MemoryStore.inMemory()
    let turn = CompletedTurn(said: line, finished: true, conversation: "", number: 1, time: told, today: monday)
    try await store.learn(from: try #require(turn))
    let facts = try await store.facts(at: told + now * day, former: true)
    return FollowUp.due(among: facts, since: told + seen * day, at: told + now * day)
  }

  @Test(
    "something that was to happen meanwhile, as it is said to the person",
    arguments: zip(
      [
        "I have the dentist on Friday", "my exam is on Friday", "On Friday I have to renew my passport",
        "I am going to Lisbon on Friday",
      ],
      [
        "you had the dentist on Friday", "your exam was on Friday", "you had to renew your passport on Friday",
        "you were going to Lisbon on Friday",
      ]))
  func events(_ line: String, _ clause: String) async throws {
    #expect(try await Self.due(line, now: 6) == .event(clause))
  }

  @Test("once: at the first visit behind it, and not for ever")
  func once() async throws {
    let line = "I have the dentist on Friday"
    #expect(try await Self.due(line, now: 3) == nil)
    #expect(try await Self.due(line, now: 4) == nil)
    #expect(try await Self.due(line, now: 5) == .event("you had the dentist yesterday"))
    #expect(try await Self.due(line, seen: 5, now: 6) == nil)
    #expect(try await Self.due(line, now: 12) == .event("you had the dentist on \(Self.monday.adding(4).written)"))
    #expect(try await Self.due(line, now: 20) == nil)
  }

  @Test("nothing grave, and nothing that was taken back")
  func grave() async throws {
    #expect(try await Self.due("I have the funeral on Friday", now: 6) == nil)
    #expect(try await Self.due("my brother Tom lives in Leeds", now: 6) == nil)
  }

  @Test("a birthday, on its day")
  func birthday() async throws {
    let line = "my birthday is \(Self.monday.adding(3).written)"
    #expect(try await Self.due(line, now: 3) == .birthday)
    #expect(try await Self.due(line, seen: 3, now: 3) == nil)
    #expect(try await Self.due(line, now: 4) == nil)
  }
}
