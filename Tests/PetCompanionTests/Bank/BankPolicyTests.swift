import Testing

import PetCompanion

@Suite("What the reply bank does about a message")
struct BankPolicyTests {
  private let policy = BankPolicy(answerCloseness: 0.9, exampleCloseness: 0.5)

  private func match(
    _ id: Int, _ closeness: Double, mayAnswer: Bool = true, use: BankExchange.Use = .free
  ) -> BankMatch {
    let exchange = BankExchange(
      id: id, line: "line \(id)", reply: Reply(text: "reply \(id)", emotion: .happy, isWellFormed: true), pet: nil,
      bands: [2, 2, 2], needs: [false, false, false], use: use)
    return BankMatch(closeness: closeness, points: 0, exchange: exchange, mayAnswer: mayAnswer)
  }

  private func decide(
    _ matches: [BankMatch], standsAlone: Bool = true, isOpening: Bool = true, recent: [Int] = [],
    texts: [String] = [], choice: UInt64 = 0
  ) -> BankDecision {
    policy.decide(
      BankLookup(matches: matches, standsAlone: standsAlone), isOpening: isOpening, recent: recent, recentTexts: texts,
      choice: choice)
  }

  @Test("answers only where a reply fits very closely, shows what is near, and else keeps still")
  func closeness() {
    #expect(decide([match(1, 0.95)]) == .answer(match(1, 0.95)))
    #expect(decide([match(1, 0.89), match(2, 0.5), match(3, 0.49)]) == .examples([match(2, 0.5), match(1, 0.89)]))
    #expect(decide([match(1, 0.49)]) == .none)
    #expect(decide([]) == .none)
    #expect(decide([match(1, .nan)]) == .none)
  }

  @Test("at most three examples, the nearest last")
  func examples() {
    let near = (0..<9).map { match($0, 0.8 - 0.01 * Double($0)) }
    #expect(decide(near) == .examples([near[2], near[1], near[0]]))
    var none = policy
    none.maximumExamples = -1
    #expect(none.decide(BankLookup(matches: near, standsAlone: true), isOpening: true, choice: 0) == .none)
  }

  @Test("a reply of another pet, state or person is an example and no answer")
  func mayNot() {
    let one = match(1, 0.99, mayAnswer: false)
    #expect(decide([one]) == .examples([one]))
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
    #expect(decide(some, recent: [1, 2, 3]) == .examples(some.reversed()))
  }

  @Test("what hangs on earlier words is answered by nobody but a model, once a conversation has begun")
  func leaning() {
    let one = match(1, 0.99)
    #expect(decide([one], standsAlone: false, isOpening: true) == .answer(one))
    #expect(decide([one], standsAlone: true, isOpening: false) == .answer(one))
    #expect(decide([one], standsAlone: false, isOpening: false) == .examples([one]))
  }

  @Test("near a line of danger the bank does not answer")
  func danger() {
    let one = match(1, 0.95)
    #expect(decide([match(2, 0.97, use: .guards), one]) == .none)
    #expect(decide([one, match(2, 0.9, use: .guards)]) == .examples([one]))
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
