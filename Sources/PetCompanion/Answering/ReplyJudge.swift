// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Decides what becomes of a model's reply. Pure.
package enum ReplyJudge {
  /// What a model wrote.
  package struct Draft: Sendable {
    /// As far as it may be said.
    let reply: Reply
    /// Why the rest may not.
    let refused: ReplyCheck.Reason?
    /// That the model raised its flag for.
    let danger: Danger?
    /// Whether its person stopped it.
    let isStopped: Bool
    /// How likely it is right; nil: it is believed.
    let rightness: Double?

    package init(
      _ reply: Reply, refused: ReplyCheck.Reason? = nil, danger: Danger? = nil, isStopped: Bool = false,
      rightness: Double? = nil
    ) {
      (self.reply, self.refused, self.danger) = (reply, refused, danger)
      (self.isStopped, self.rightness) = (isStopped, rightness)
    }
  }

  package enum Verdict: Sendable, Equatable {
    /// Say it as it is.
    case keep
    /// Say this in its place.
    case replace(WrittenReply)
    /// Say what is written for a danger.
    case mind(Danger)
    /// Leave it at what was shown, or say other words where nothing was.
    case refuse(WrittenReply, ReplyCheck.Reason)
    /// Nothing was said: the turn never was.
    case discard
  }

  /// - Parameter choice: any number; picks among words that are equally good.
  package static func verdict(on draft: Draft, _ terms: Brief.Terms, choice: UInt64) -> Verdict {
    if let danger = draft.danger { return .mind(danger) }
    if draft.isStopped, terms.isHeld || draft.reply.text.isEmpty { return .discard }
    let isFit = draft.refused == nil && terms.held?.expectation?.isMet(by: draft.reply) != false
    if var held = terms.held, !isFit {
      if let offered = terms.offered, offered.reply == held.reply { held.isReflection = offered.isReflection }
      return .replace(held)
    }
    if let offered = terms.offered, !isFit || isBetter(offered, than: draft) { return .replace(offered) }
    guard let reason = draft.refused else { return .keep }
    let (text, emotion) = (draft.reply.text, draft.reply.emotion ?? .content)
    let other = ReplyCheck.standard.replacement(reason, choice: choice)
    guard text.isEmpty else {
      // "Of course!" alone would promise it all the same.
      let all = reason == .forgetting ? "\(text) \(other.text)" : text
      let rest = Reply(text: all, emotion: emotion, actions: draft.reply.actions, isWellFormed: true)
      return .refuse(WrittenReply(.model, rest), reason)
    }
    return .refuse(WrittenReply(.replacement, other), reason)
  }

  private static func isBetter(_ offered: WrittenReply, than draft: Draft) -> Bool {
    draft.rightness.map { offered.rightness > $0 + ReplyBank.builtIn.policy.modelMargin } ?? false
  }
}
