// SPDX-License-Identifier: Apache-2.0
/// One thing that a pet remembers of the person, or of somebody or something in the person's life.
public struct Fact: Sendable, Equatable, Identifiable {
  public enum Kind: String, Sendable, CaseIterable, Codable {
    case name, age, birthday, place, origin, work, study, people, pet, likes, dislikes, favourite, event, habit, feeling
    case health, food, language, possession, wish, custom
    /// A line in the person's own words, which no rule understood as a whole.
    case said
  }

  /// In the store; never used twice.
  public internal(set) var id: Int64
  public var kind: Kind
  /// Whom it is about: "user", "sister", "dog", or a name.
  public var subject: String
  /// What of that kind it is about, where a subject may have several: the "colour" of a favourite colour. Often empty.
  public var topic: String
  public var value: String
  /// As the models read it: "user's name is Ada", "has a dog named Rex".
  public var text: String
  package var source: FactSource
  /// From 0 to 1: how sure it is that the person said so.
  public var confidence: Double
  /// From 0 to 1: how much it matters when nothing else speaks for a fact.
  public var importance: Double
  /// In seconds since 1970, as are all times of a fact.
  public var created: Int64
  /// When it was last said, last recalled, or taken back.
  public var lastUsed: Int64
  /// How often it was recalled.
  package var uses: Int
  /// Whether its person wants it kept and not spoken of: it answers a plain question for it, and nothing else.
  public internal(set) var isQuiet = false
  /// From when on it is no longer recalled; nil: never. What was taken back has the least number.
  package var expires: Int64?
  /// The fact that took its place, which is another value of the same thing.
  package var supersededBy: Int64?

  /// What is in a line that told it.
  package var toldWords: String { value.isEmpty ? text : value }

  /// Whether it may still be recalled.
  package func isLive(at now: Int64) -> Bool {
    guard supersededBy == nil else { return false }
    return expires.map { now < $0 } ?? true
  }
}

/// Where a fact comes from.
package struct FactSource: Sendable, Equatable, Codable {
  package enum Origin: String, Sendable, Codable {
    /// A rule found it in what the person said.
    case rule
    /// A model proposed it.
    case model
    /// The person wrote it into the list of memories.
    case person
  }

  package var conversation: String
  /// Counted from 1 in its conversation.
  package var turn: Int
  package var origin: Origin

  package init(conversation: String, turn: Int, origin: Origin) {
    self.conversation = conversation
    self.turn = turn
    self.origin = origin
  }
}
