// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Decides who answers a line: the first rung of the table whose gates are open and that has something to say.
package enum AnswerPolicy {
  // swift-format-ignore
  package static let rows: [AnswerRow] = [
    //        who answers        when      near danger, watching, capable model
    AnswerRow(.care,             .first,   true,  true,  true,  CareRung.reply),
    AnswerRow(.honesty,          .first,   true,  true,  true,  HonestyRung.reply),
    AnswerRow(.game,             .says,    false, false, true,  GameRung.reply),
    AnswerRow(.memory,           .says,    true,  true,  true,  MemoryRung.reply),
    AnswerRow(.told,             .says,    true,  false, true,  ToldRung.reply),
    AnswerRow(.untold,           .says,    true,  true,  true,  UntoldRung.reply),
    AnswerRow(.life,             .says,    false, false, true,  LifeRung.reply),
    AnswerRow(.joke,             .says,    false, false, true,  JokeRung.reply),
    AnswerRow(.frequent,         .says,    false, true,  true,  FrequentRung.reply),
    AnswerRow(.sum,              .says,    false, false, false, SumRung.reply),
    AnswerRow(.bank,             .says,    false, false, true,  BankRung.reply),
    AnswerRow(.incomprehension,  .says,    false, true,  false, IncomprehensionRung.reply),
    AnswerRow(.knowledge,        .says,    false, false, false, KnowledgeRung.reply),
    AnswerRow(.untold,           .says,    false, false, false, UntoldRung.replyInOtherWords),
    AnswerRow(.honesty,          .says,    true,  false, false, HonestyRung.replyInOtherWords),
    AnswerRow(.limits,           .says,    true,  false, false, LimitsRung.reply),
    AnswerRow(.acknowledgement,  .says,    false, false, false, AcknowledgementRung.reply),
    AnswerRow(.sympathy,         .holds,   true,  false, false, SympathyRung.reply),
    AnswerRow(.reflection,       .offers,  false, false, false, ReflectionRung.reply),
    AnswerRow(.bank,             .offers,  false, false, true,  BankRung.offer),
    AnswerRow(.care,             .says,    true,  true,  true,  CareRung.quiet),
    AnswerRow(.care,             .holds,   true,  true,  true,  CareRung.sober),
    AnswerRow(.kept,             .repeats, false, true,  true),
    AnswerRow(.model,            .asks,    true,  true,  true),
    AnswerRow(.replacement,      .mends,   true,  true,  true),
  ]

  /// What is said before memory is read; nil: read it, and ask ``decide(_:open:)``.
  package static func first(_ facts: TurnFacts, open: Set<Rung>) -> WrittenReply? {
    rows.lazy.filter { $0.way == .first && $0.isOpen(to: facts, open) }.compactMap { $0.words(facts) }.first
  }

  /// - Parameter open: rungs that may answer.
  package static func decide(_ facts: TurnFacts, open: Set<Rung>) -> AnswerDecision {
    var terms = Brief.Terms()
    for row in rows where row.isOpen(to: facts, open) {
      switch row.way {
      case .says where facts.held == nil:
        if let words = row.words(facts) { return .say(words) }
      case .holds where facts.held == nil: facts.held = row.words(facts)
      case .offers where facts.model.isWeak: terms.offer(row.words(facts))
      case .repeats: terms.mayRepeat = true
      case .first, .says, .holds, .offers, .asks, .mends: break
      }
    }
    terms.held = facts.held
    return .ask(terms)
  }

  /// Loads the built-in tables that the first message would otherwise wait for.
  package static func load() {
    _ = (CommonKnowledge.standard, FrequentReplies.standard, ComprehensionRules.standard, IntentClassifier.standard)
    _ = (IntentLines.standard, SympathyLines.standard, Reflection.standard, AnswerSelector.standard, ReplyBank.builtIn)
  }
}

/// What becomes of a line.
package enum AnswerDecision: Sendable, Equatable {
  case say(WrittenReply)
  case ask(Brief.Terms)
}
