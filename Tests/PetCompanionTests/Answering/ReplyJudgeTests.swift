// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What becomes of a model's reply")
struct ReplyJudgeTests {
  private static let reply = Reply(text: "I like lamps.", emotion: .happy, isWellFormed: true)

  private func terms(held: WrittenReply? = nil, offered: WrittenReply? = nil) -> Brief.Terms {
    var terms = Brief.Terms()
    (terms.held, terms.offered) = (held, offered)
    return terms
  }

  private func written(_ text: String, rightness: Double = 1) -> WrittenReply {
    var words = WrittenReply(.bank, Reply(text: text, emotion: .content, isWellFormed: true))
    words.rightness = rightness
    return words
  }

  private var sympathy: WrittenReply {
    var words = WrittenReply(.sympathy, Reply(text: "I'm so sorry.", emotion: .sad, isWellFormed: true))
    words.expectation = .shows(.loss, to: "my gran is gone")
    return words
  }

  private func verdict(_ draft: ReplyJudge.Draft, _ terms: Brief.Terms = .init()) -> ReplyJudge.Verdict {
    ReplyJudge.verdict(on: draft, terms, choice: 0)
  }

  @Test("a reply that nothing speaks against is kept")
  func kept() {
    #expect(verdict(.init(Self.reply)) == .keep)
    #expect(verdict(.init(Self.reply, isStopped: true)) == .keep)
  }

  @Test("a flag goes before everything, also where the reply was stopped or refused")
  func flagged() {
    let draft = ReplyJudge.Draft(Reply(text: ""), refused: .leak, danger: .selfHarm, isStopped: true)
    #expect(verdict(draft, terms(held: sympathy)) == .mind(.selfHarm))
  }

  @Test("a reply that was stopped before any of it was shown never was")
  func stopped() {
    #expect(verdict(.init(Reply(text: ""), isStopped: true)) == .discard)
    #expect(verdict(.init(Self.reply, isStopped: true), terms(offered: written("Hm."))) == .discard)
  }

  @Test("a reply that does not show what it must is replaced; one that does is kept")
  func held() {
    #expect(verdict(.init(Self.reply), terms(held: sympathy)) == .replace(sympathy))
    let kind = Reply(text: "Oh no, I'm sorry about your gran.", emotion: .sad, isWellFormed: true)
    #expect(verdict(.init(kind), terms(held: sympathy)) == .keep)
    #expect(verdict(.init(kind, refused: .slur), terms(held: sympathy)) == .replace(sympathy))
  }

  @Test("words that are offered are said where they are likelier right by more than the margin")
  func offered() {
    let offered = written("Buses sing?", rightness: 0.6)
    #expect(verdict(.init(Self.reply, rightness: 0.5), terms(offered: offered)) == .replace(offered))
    #expect(verdict(.init(Self.reply, rightness: 0.56), terms(offered: offered)) == .keep)
    // Nobody measured how far it is to be believed.
    #expect(verdict(.init(Self.reply), terms(offered: offered)) == .keep)
    #expect(verdict(.init(Self.reply, refused: .contact), terms(offered: offered)) == .replace(offered))
  }

  @Test("where words may not be said it is left at those that were shown, or others are said")
  func refused() {
    guard case .refuse(let rest, .cruelty) = verdict(.init(Self.reply, refused: .cruelty)),
      case .refuse(let other, .cruelty) = verdict(.init(Reply(text: ""), refused: .cruelty))
    else {
      Issue.record("it was not refused")
      return
    }
    #expect(rest.rung == .model && rest.reply == Self.reply)
    #expect(other.rung == .replacement && other.reply == ReplyCheck.standard.replacement(.cruelty, choice: 0))
    guard case .refuse(let told, .forgetting) = verdict(.init(Self.reply, refused: .forgetting)) else {
      Issue.record("it was not refused")
      return
    }
    let truth = ReplyCheck.standard.replacement(.forgetting, choice: 0).text
    #expect(told.reply.text == "\(Self.reply.text) \(truth)")
  }
}
