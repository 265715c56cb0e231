// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("What the reply bank does about a message")
struct BankPolicyTests {
  private let policy = BankPolicy(answerCloseness: 0.9)

  private func match(
    _ id: Int, _ closeness: Double, mayAnswer: Bool = true, tellsSame: Bool = true, use: BankExchange.Use = .free
  ) -> BankMatch {
    let exchange = BankExchange(
      id: id, line: "line \(id)", reply: Reply(text: "reply \(id)", emotion: .happy, isWellFormed: true), pet: nil,
      bands: [2, 2, 2], needs: [false, false, false], use: use)
    return BankMatch(
      closeness: closeness, points: 0, exchange: exchange, mayAnswer: mayAnswer, tellsSame: tellsSame)
  }

  private func decide(
    _ matches: [BankMatch], standsAlone: Bool = true, isOpening: Bool = true, mayOffer: Bool = false,
    recent: [Int] = [], texts: [String] = [], choice: UInt64 = 0
  ) -> BankDecision {
    policy.decide(
      BankLookup(matches: matches, standsAlone: standsAlone), isOpening: isOpening, mayOffer: mayOffer, recent: recent,
      recentTexts: texts, choice: choice)
  }

  @Test("answers only where a reply fits very closely, and else keeps still")
  func closeness() {
    #expect(decide([match(1, 0.95)]) == .answer(match(1, 0.95)))
    #expect(decide([match(1, 0.89), match(2, 0.5)]) == .none)
    #expect(decide([match(1, 0.95, tellsSame: false)]) == .none)
    #expect(decide([]) == .none)
    #expect(decide([match(1, .nan)]) == .none)
  }

  @Test("offers what fits best to be compared with a model's reply, where nothing is very close")
  func offer() {
    let some = [match(1, 0.7, mayAnswer: false), match(2, 0.4, tellsSame: false), match(3, 0.2)]
    #expect(decide(some, mayOffer: true) == .offer(some[1]) && decide(some) == .none)
    #expect(decide(some, mayOffer: true, recent: [2]) == .offer(some[2]))
    #expect(decide([match(1, 0.95, tellsSame: false), match(2, 0.92)], mayOffer: true) == .answer(match(2, 0.92)))
    #expect(decide(some, standsAlone: false, isOpening: false, mayOffer: true) == .none)
    #expect(decide(some + [match(4, 0.1, use: .guards)], mayOffer: true) == .offer(some[1]))
    #expect(decide(some + [match(4, 0.11, use: .guards)], mayOffer: true) == .none)
    #expect(decide([match(1, .nan)], mayOffer: true) == .none && decide([match(1, 0.19)], mayOffer: true) == .none)
  }

  @Test("a reply of another pet, state or person is no answer")
  func mayNot() {
    let one = match(1, 0.99, mayAnswer: false)
    #expect(decide([one], mayOffer: true) == .none)
    #expect(decide([one, match(2, 0.97)]) == .answer(match(2, 0.97)))
  }

  @Test("never what was said lately; another that is as close, or the model")
  func variety() {
    let some = [match(1, 0.98), match(2, 0.97), match(3, 0.91)]
    for choice: UInt64 in [0, 1, 2, 7, .max] {
      guard case .answer(let first) = decide(some, choice: choice),
        case .answer(let second) = decide(some, recent: [first.exchange.id], choice: choice)
      else {
        Issue.record("no answer")
        continue
      }
      #expect(first.exchange.id != 3 && first != second)
      let texts = [first.exchange.reply.text, second.exchange.reply.text]
      #expect(decide(some, texts: texts, choice: choice) == .answer(some[2]))
    }
    #expect(decide(some, recent: [1, 2, 3]) == .none)
  }

  @Test("what hangs on earlier words is answered by nobody but a model, once a conversation has begun")
  func leaning() {
    let one = match(1, 0.99)
    #expect(decide([one], standsAlone: false, isOpening: true) == .answer(one))
    #expect(decide([one], standsAlone: true, isOpening: false) == .answer(one))
    #expect(decide([one], standsAlone: false, isOpening: false) == .none)
  }

  @Test("near a line of danger the bank does not answer")
  func danger() {
    let one = match(1, 0.95)
    #expect(decide([match(2, 0.97, use: .guards), one]) == .none)
    #expect(decide([one, match(2, 0.9, use: .guards)]) == .none)
    #expect(decide([one, match(2, 0.5, use: .guards)]) == .answer(one))
  }

  @Test("exchanged, replaced or turned words are other words; added or missing ones may be the same")
  func words() {
    #expect(ReplyBank.tellSame([1, 2, 3], [1, 2, 3]))
    #expect(ReplyBank.tellSame([1, 2, 3, 4], [1, 2, 4]))
    #expect(ReplyBank.tellSame([1, 2], [5, 1, 2, 1]))
    #expect(!ReplyBank.tellSame([1, 2, 3], [1, 3, 2]))
    #expect(!ReplyBank.tellSame([1, 2, 3], [1, 4, 3]))
    #expect(!ReplyBank.tellSame([1, 2], [3, 4]))
  }
}
