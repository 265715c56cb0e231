// SPDX-License-Identifier: Apache-2.0
/// That words were written for danger, and where in it a conversation stands. What was said is no part of it.
public struct SafetyEvent: Sendable, Equatable, Codable {
  public enum Stage: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    /// It was told: the first words of its kind, with numbers to call.
    case alarm
    /// One stays with it, whatever was said since.
    case stay
    /// It is over, or people who help are there.
    case left
    /// It was no danger: what was said for it is taken back.
    case clear
  }

  public let kind: DangerKind
  public let stage: Stage

  public init(_ kind: DangerKind, _ stage: Stage) { (self.kind, self.stage) = (kind, stage) }

  /// Nil where no words are written.
  package init?(_ decision: StayDecision) {
    switch decision {
    case .alarm(let finding): self.init(finding.kind, .alarm)
    case .stay(let kind, _), .ask(let kind): self.init(kind, .stay)
    case .left(let kind): self.init(kind, .left)
    case .clear(let kind): self.init(kind, .clear)
    case .nothing, .dismiss, .watch: return nil
    }
  }
}
