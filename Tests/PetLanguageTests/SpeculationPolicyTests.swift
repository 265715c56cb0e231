// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetLanguage
import Testing

@Suite("Whether it pays to guess")
struct SpeculationPolicyTests {
  @Test("the words that followed the same words before, the latest, longest first")
  func lookup() {
    #expect(PromptLookup.guess(after: [], count: 4) == [])
    #expect(PromptLookup.guess(after: [1, 2, 3], count: 4) == [])
    #expect(PromptLookup.guess(after: [1, 2, 3, 1, 2], count: 4) == [3, 1, 2])
    #expect(PromptLookup.guess(after: [1, 2, 3, 1, 2], count: 1) == [3])
    #expect(PromptLookup.guess(after: [1, 2, 3, 1, 2], count: 0) == [])
    #expect(PromptLookup.guess(after: [1, 2, 3, 9, 1, 2, 4, 9, 1, 2], count: 1) == [4])
    #expect(PromptLookup.guess(after: [7, 1, 2, 3, 9, 1, 2, 4, 7, 1, 2], count: 1) == [3], "three fit better than two")
    #expect(PromptLookup.guess(after: [5, 5, 5, 5], count: 3) == [5])
  }

  @Test("any history: what is guessed has followed the last two tokens")
  func anyHistory() {
    for seed in 0..<500 {
      var random = RandomSource(seed: UInt64(seed))
      let history = (0..<Int.random(in: 0...60, using: &random)).map { _ in Int32.random(in: 0..<4, using: &random) }
      let guess = Array(PromptLookup.guess(after: history, count: 5))
      let places = history.indices.dropLast(2).filter { Array(history[$0..<$0 + 2]) == Array(history.suffix(2)) }
      #expect(guess.isEmpty == places.isEmpty)
      #expect(guess.isEmpty || places.contains { Array(history[($0 + 2)...].prefix(guess.count)) == guess })
    }
  }

  @Test("the surer the guesses and the cheaper the rows, the more; none where none pays")
  func count() {
    let cheap = SpeculationPolicy(pass: 10, row: 1, replies: 1)
    #expect(cheap.count(acceptance: 0, available: 8) == 0)
    #expect(cheap.count(acceptance: 1, available: 8) == 8)
    #expect(cheap.count(acceptance: 1, available: 3) == 3)
    #expect(cheap.count(acceptance: 0.05, available: 8) == 0)
    let counts = [0.2, 0.4, 0.6, 0.8, 0.95].map { cheap.count(acceptance: $0, available: 8) }
    #expect(counts == counts.sorted() && counts[0] > 0)
    // Where rows are what takes the time there is nothing to win, however good the guesses are.
    #expect(SpeculationPolicy(pass: 10, row: 10, replies: 1).count(acceptance: 0.9, available: 8) == 0)
    #expect(cheap.count(acceptance: 0.5, available: 8, guess: 9) == 0, "guessing takes too long")
    let crowded = SpeculationPolicy(pass: 25, row: 1, replies: 16)
    #expect(crowded.count(acceptance: 0.6, available: 8) <= cheap.count(acceptance: 0.6, available: 8))
  }

  @Test("what passes take is learnt")
  func costs() {
    var costs = StepCosts()
    #expect(costs.policy(replies: 1) == nil)
    for _ in 0..<50 {
      for rows in [1, 2, 5, 9, 40, -1] { costs.record(rows: rows, seconds: 0.01 + 0.002 * Double(rows)) }
      costs.record(rows: 1, seconds: .nan)
    }
    let one = costs.policy(replies: 1)
    #expect(one?.count(acceptance: 0.01, available: 8) == 0)
    #expect(one?.count(acceptance: 0.5, available: 8) ?? 0 > 0)
    // Eight rows take little more than one here, so guessing pays with four replies as well.
    #expect(costs.policy(replies: 4)?.count(acceptance: 0.9, available: 8) ?? 0 > 0)
  }

  @Test("guesses that fail are made no more, and tried again after a while")
  func record() {
    var record = GuessRecord()
    for _ in 0..<40 { record.record(guessed: 4, accepted: 0) }
    #expect(record.acceptance < 0.01 && record.guessed == 160 && record.accepted == 0)
    let counts = (0..<100).map { _ in
      let count = record.count(0)
      if count > 0 { record.record(guessed: count, accepted: 1) }
      return count
    }
    #expect(Set(counts) == [0, 1] && counts.reduce(0, +) <= 4)
    for _ in 0..<40 { record.record(guessed: 4, accepted: 4) }
    #expect(record.acceptance > 0.99 && record.count(5) == 5)
  }
}
