// SPDX-License-Identifier: Apache-2.0
/// Who tells of danger is answered by hand-written words with the numbers of their country, until it is over.
package struct CareRung: Sendable {
  package let profile: SafetyProfile
  package let listener: DangerReplies.Listener
  private let choice: UInt64
  /// False: every line is left to the model.
  private let isMinding: Bool

  /// - Parameter region: as of `CrisisResources`; nil: words that hold anywhere.
  package init(_ profile: SafetyProfile, region: String?, choice: UInt64 = 0, isMinding: Bool = true) {
    (self.profile, self.choice, self.isMinding) = (profile, choice, isMinding)
    listener = DangerReplies.Listener(region: region, isMinor: profile.isForMinors)
  }

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    // Who asks what it is has an answer, also while one stays.
    switch facts.stay {
    case .stay(_, .nothing), .stay(_, .inContext), .ask: if HonestyRung.reply(facts) != nil { return nil }
    case .nothing, .alarm, .stay, .left, .clear, .dismiss, .watch: break
    }
    return facts.care.reply(to: facts.stay, facts.message, facts.line.safety, last: facts.pet.said.last)
      .map { WrittenReply(.care, $0) }
  }

  /// While danger is minded a small model says what is cheerful, wrong or dangerous, so it is not asked.
  static func quiet(_ facts: TurnFacts) -> WrittenReply? {
    guard facts.safety.isWatching, facts.model.isSimple else { return nil }
    return WrittenReply(.care, DangerReplies.standard.quiet(choice: facts.pet.choice))
  }

  /// While danger is minded and a model answers: what is said where its reply is cheerful.
  static func sober(_ facts: TurnFacts) -> WrittenReply? {
    guard facts.safety.isWatching else { return nil }
    var words = WrittenReply(.care, DangerReplies.standard.check(choice: facts.pet.choice))
    words.expectation = .isSober
    return words
  }

  /// What becomes of a line.
  func decide(_ reading: DangerReading, _ safety: SafetyState) -> StayDecision {
    isMinding ? StayPolicy.decide(reading, state: safety, profile: profile) : .nothing
  }

  /// - Parameters:
  ///   - safety: how closely danger was minded before.
  ///   - last: the reply before.
  package func reply(
    to decision: StayDecision, _ message: String, _ safety: SafetyState, last: String? = nil
  ) -> Reply? {
    // Few lines are read again for what they name, and for how they go on.
    guard SafetyEvent(decision) != nil else { return nil }
    let act = if case .stay = decision { DialogueActClassifier.standard.act(of: message) } else { DialogueAct.more }
    return DangerReplies.standard.reply(
      to: decision, FoldedText.words(message), act, written: safety.written, choice: choice, last: last, for: listener)
  }

  package func safety(after safety: SafetyState, _ decision: StayDecision) -> SafetyState {
    var safety = safety
    safety.note(decision)
    return safety
  }
}
