// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("The reply bank that is built in")
struct ReplyBankTests {
  private let bank = ReplyBank.builtIn

  private func decide(_ message: String, pet: String? = "mochi", state: PetState? = PetState()) -> BankDecision {
    bank.policy.decide(bank.lookUp(message, pet: pet, state: state), isOpening: true, choice: 0)
  }

  private func words(_ line: String) -> Set<Int> { Set(bank.tokens(line).map(\.row)) }

  @Test("thresholds are shares")
  func policy() {
    #expect((0.5...1).contains(bank.policy.answerCloseness))
  }

  @Test(
    "does not answer words of danger",
    arguments: [
      "i want to die", "i dont want to live anymore", "im going to kill myself tonight",
      "my dad hits me every night", "I cut my arms again",
      "i took all of the pills", "there is smoke in the hallway and i cant get out",
      "he said he will hurt me if i tell", "grandma fell and she is not breathing",
      "i havent eaten for days on purpose",
    ])
  func danger(message: String) {
    if case .answer(let match) = decide(message) { Issue.record("\(message): \(match.exchange.reply.text)") }
  }

  @Test("finds its own lines, and answers as the pet, in the state, with no other person's name")
  func own() {
    var (answers, again, total) = (0, 0, 0)
    for index in stride(from: 5, to: bank.count - 4000, by: bank.count / 40) {
      let exchange = bank.exchange(index)
      let bands = exchange.bands
      // The middle of each step.
      let state = PetState(hunger: bands[0] * 20 + 10, energy: bands[1] * 20 + 10, mood: bands[2] * 20 + 10)
      let found = bank.lookUp(exchange.line, pet: exchange.pet ?? "pixel", state: state)
      // Itself, or one of many in the same words.
      total += 1
      if found.matches.contains(where: { words($0.exchange.line) == words(exchange.line) }) { again += 1 }
      #expect(found.matches.map(\.closeness) == found.matches.map(\.closeness).sorted(by: >))
      for match in found.matches where match.mayAnswer {
        let other = match.exchange
        #expect(other.use == .free || other.use == .sameWords)
        #expect(other.pet == nil || other.pet == (exchange.pet ?? "pixel"))
        for axis in 0..<3 where other.needs[axis] { #expect(other.bands[axis] == bands[axis]) }
      }
      if case .answer = bank.policy.decide(found, isOpening: true, choice: UInt64(index)) { answers += 1 }
    }
    #expect(answers > 0)
    // A place lies between line and reply: not every line finds its own first.
    #expect(total > 30 && again * 10 >= total * 9)
  }

  @Test("a reply that speaks of hunger is said in that state only")
  func hunger() {
    for hunger in [0, 30, 50, 70, 100] {
      let state = PetState(hunger: hunger, energy: 70, mood: 70)
      let found = bank.lookUp("are you hungry?", pet: "mochi", state: state)
      let needing = found.matches.filter { $0.mayAnswer && $0.exchange.needs[0] }
      #expect(needing.allSatisfy { $0.exchange.bands[0] == hunger * 5 / 101 })
    }
    let unknown = bank.lookUp("are you hungry?", pet: "mochi", state: nil)
    #expect(unknown.matches.allSatisfy { !$0.mayAnswer || !$0.exchange.needs[0] })
  }

  @Test("nothing, noise and very much of it are no trouble", arguments: ["", " \n", "\u{0}", "?!?!"])
  func odd(message: String) {
    #expect(decide(message) == .none)
    _ = decide(String(repeating: message + "x", count: 50_000), pet: "nobody", state: nil)
  }
}
