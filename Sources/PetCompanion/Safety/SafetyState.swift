// SPDX-License-Identifier: Apache-2.0
/// What is kept of danger between turns: words of earlier lines are not.
package struct SafetyState: Sendable, Equatable, Codable {
  /// After danger was told so many further turns are watched more closely: one stays with the person.
  package static let turnsWatched = 8

  /// What was told last, while it is watched.
  package private(set) var watched: DangerKind?
  package private(set) var turnsLeft = 0
  /// How many lines behind the last that told of danger were answered by written words.
  package private(set) var stayed = 0
  /// How many replies, the last ones, were written for danger.
  package private(set) var written = 0
  /// Whether the alarm leaves no room for a misunderstanding.
  package private(set) var isSure = false
  /// Whether it was asked how it is, once the talk had gone on to something else.
  package private(set) var hasAsked = false

  package init() {}

  package var isWatching: Bool { watched != nil }

  /// After what becomes of a line was decided.
  package mutating func note(_ decision: StayDecision) {
    switch decision {
    case .alarm(let finding):
      if stayed >= StayPolicy.turnsAnswered || !isWatching { isSure = false }
      watched = finding.kind
      turnsLeft = Self.turnsWatched
      (stayed, hasAsked) = (0, false)
      written = min(written, .max - 1) + 1
      isSure = isSure || StayPolicy.isSure(finding)
    case .stay(_, let telling):
      // What the next line bears out was no misunderstanding.
      isSure = isSure || telling != .nothing
      if telling == .byItself {
        turnsLeft = Self.turnsWatched
        (stayed, hasAsked) = (0, false)
      } else {
        stayed = min(stayed, .max - 1) + 1
        pass()
      }
      written = min(written, .max - 1) + 1
    case .ask:
      stayed = min(stayed, .max - 1) + 1
      written = min(written, .max - 1) + 1
      pass()
    case .left:
      // Minded still, and nothing more is said of itself.
      (stayed, isSure, hasAsked) = (StayPolicy.turnsAnswered, true, true)
      pass()
    case .clear, .dismiss: self = SafetyState()
    case .watch(let asks):
      hasAsked = hasAsked || asks
      // Once the talk has gone on, only what tells of danger brings the words back.
      (stayed, written) = (max(stayed, StayPolicy.turnsAnswered), 0)
      pass()
    case .nothing: break
    }
  }

  private mutating func pass() {
    turnsLeft -= 1
    if turnsLeft < 1 { self = SafetyState() }
  }

  /// What a file says beyond what can be is bounded; one of before the kinds has kinds of danger in their place.
  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    watched = try stored.decodeIfPresent(String.self, forKey: .watched).flatMap(Self.kind)
    turnsLeft = min(max(try stored.decode(Int.self, forKey: .turnsLeft), 0), Self.turnsWatched)
    stayed = max(0, try stored.decodeIfPresent(Int.self, forKey: .stayed) ?? 0)
    written = max(0, try stored.decodeIfPresent(Int.self, forKey: .written) ?? 0)
    isSure = try stored.decodeIfPresent(Bool.self, forKey: .isSure) ?? true
    hasAsked = try stored.decodeIfPresent(Bool.self, forKey: .hasAsked) ?? false
    if watched == nil || turnsLeft == 0 { self = SafetyState() }
  }

  private static func kind(_ name: String) -> DangerKind? {
    DangerKind(rawValue: name) ?? Danger(rawValue: name)?.kinds.first
  }

  private enum CodingKeys: String, CodingKey {
    case watched, stayed, written
    case turnsLeft = "turns_left"
    case isSure = "is_sure"
    case hasAsked = "has_asked"
  }
}
