// SPDX-License-Identifier: Apache-2.0
/// What is kept of danger between turns: words of earlier lines are not.
package struct SafetyState: Sendable, Equatable, Codable {
  /// After danger was told so many further turns are watched more closely: one stays with the person.
  package static let turnsWatched = 8

  /// What was told last, while it is watched.
  package private(set) var watched: Danger?
  package private(set) var turnsLeft = 0
  /// How many lines of each kind there were.
  package private(set) var told: [Danger: Int] = [:]

  package init() {}

  package var isWatching: Bool { watched != nil }

  /// After a line was judged.
  package mutating func note(_ danger: Danger?) {
    if let danger {
      watched = danger
      turnsLeft = Self.turnsWatched
      told[danger] = min(told[danger] ?? 0, .max - 1) + 1
    } else if turnsLeft > 1 {
      turnsLeft -= 1
    } else {
      turnsLeft = 0
      watched = nil
    }
  }

  /// What a file says beyond what can be is bounded.
  package init(from decoder: any Decoder) throws {
    let stored = try decoder.container(keyedBy: CodingKeys.self)
    watched = try stored.decodeIfPresent(Danger.self, forKey: .watched)
    turnsLeft = min(max(try stored.decode(Int.self, forKey: .turnsLeft), 0), Self.turnsWatched)
    told = try stored.decode([Danger: Int].self, forKey: .told).mapValues { max(0, $0) }
  }

  private enum CodingKeys: String, CodingKey {
    case watched, told
    case turnsLeft = "turns_left"
  }
}
