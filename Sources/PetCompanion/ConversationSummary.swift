// SPDX-License-Identifier: Apache-2.0
import PetText

/// What remains of turns that a context has no room for: their topics, or a model's words about them. Rolls on: what is left out
/// later is added to what there is.
package struct ConversationSummary: Sendable, Equatable {
  /// Topics at most; the least telling go first.
  package static let mostTopics = 8
  /// Bytes of a model's words.
  private static let longest = 240
  /// From 0 to 255: words that carry no subject are below.
  private static let rarest = 90

  private struct Topic: Equatable {
    let word: String
    let rarity: Int
    var count: Int

    /// What comes again and again says something of a conversation, and a rare word more.
    var weight: Int { rarity + 24 * min(count, 4) }
  }

  private var topics: [Topic] = []
  private var words: String?

  package init() {}

  /// As a model reads it, what tells most first; nil where nothing was left out.
  package var text: String? {
    if let words { return words }
    guard !topics.isEmpty else { return nil }
    let best = topics.sorted { $0.weight > $1.weight }
    return "talked before about " + best.map(\.word).joined(separator: ", ")
  }

  /// - Parameters:
  ///   - lines: the person's, of the turns that go, oldest first.
  ///   - words: what a model says of the whole conversation so far; nil: the topics speak.
  ///   - bank: knows which words tell much.
  /// - Complexity: O(bytes of the lines).
  package mutating func add(_ lines: [String], inWords words: String? = nil, bank: ReplyBank = .builtIn) {
    for line in lines {
      var seen: Set<String> = []
      for (word, rarity) in bank.topics(of: line) where rarity >= Self.rarest && seen.insert(word).inserted {
        if let known = topics.firstIndex(where: { $0.word == word }) {
          topics[known].count += 1
        } else {
          topics.append(Topic(word: word, rarity: rarity, count: 1))
        }
      }
    }
    while topics.count > Self.mostTopics {
      // Of equal ones the older goes.
      let least = topics.indices.min { topics[$0].weight < topics[$1].weight }
      topics.remove(at: least ?? 0)
    }
    let told = words.map { PromptText.line($0).sentences(limit: Self.longest) }
    self.words = told?.isEmpty == false ? told : nil
  }
}
