// SPDX-License-Identifier: Apache-2.0
/// Whether a line tells of danger, decided before any model is asked: rules, a small classifier, and what was told before.
package struct DangerDetector: Sendable {
  /// What people name who were taken too seriously.
  private static let denials: Set<String> = [
    "game", "videogame", "gaming", "minecraft", "film", "movie", "scene", "show", "series", "episode", "book", "novel",
    "song", "lyrics", "play",
    "character", "joke", "jokes", "joking", "joked", "kidding", "jk", "figuratively", "expression", "metaphor", "meant",
  ]
  /// How likely danger must be by the networks, the reader among them, for a rule to be certain: of 1,706 held-out dangers none is lost.
  private static let leastBesideRule: Float = 0.05
  private let rules: DangerRules
  private let classifier: DangerClassifier

  package init(rules: DangerRules = .standard, classifier: DangerClassifier = .standard) {
    self.rules = rules
    self.classifier = classifier
  }

  /// Looks at `message` for danger.
  /// - Parameter earlier: the person's lines before it, oldest first; the last two are looked at.
  ///
  /// Rules read all of the message; the classifier at most 8192 characters, of a longer one its beginning and its end.
  ///
  /// Complexity: linear in the message.
  /// - Parameter closely: whether all networks are asked, however harmless it looks.
  package func reading(of message: String, after earlier: [String] = [], closely: Bool = false) -> DangerReading {
    let words = FoldedText.words(message)
    let mark = mark(in: message)
    var match = mark ?? rules.match(words)
    let isByWords = mark == nil && match?.strength == .certain
    if match?.strength != .certain {
      // Of what lies between the ends only plain words count: hints are for the classifier, which does not read it.
      match = certainMatch(inMiddleOf: message) ?? match
    }
    let before = FoldedText.words(earlier.suffix(2).joined(separator: " . "))
    let scores =
      match?.strength != .certain && rules.isCalm(words)
      ? [] : classifier.scores(words, behind: before.isEmpty ? [[]] : [[], before], closely: closely || isByWords)
    // "A girl of twelve has stabbed me nineteen times", of fencing.
    if isByWords, let read = scores.last, read.isOfReader, read.danger < Self.leastBesideRule {
      match = match.map { DangerRules.Match(danger: $0.danger, strength: .hint) }
    }
    return DangerReading(
      match: match, alone: scores.first, inContext: scores.last, wordCount: words.count,
      isDenial: !Self.denials.isDisjoint(with: words))
  }

  private func mark(in message: String) -> DangerRules.Match? {
    rules.mark(in: message).map { DangerRules.Match(danger: $0, strength: .certain) }
  }

  private func certainMatch(inMiddleOf message: String) -> DangerRules.Match? {
    FoldedText.middles(of: message).lazy.compactMap { part in
      mark(in: part) ?? rules.match(FoldedText.words(part))
    }
    .first { $0.strength == .certain }
  }

  /// As ``DangerReading/finding(state:profile:)`` of ``reading(of:after:)``.
  package func finding(
    in message: String, after earlier: [String] = [], state: SafetyState = SafetyState(),
    profile: SafetyProfile = .adult
  ) -> DangerFinding? {
    reading(of: message, after: earlier).finding(state: state, profile: profile)
  }

  /// As ``DangerReading/isGrave(profile:)`` of ``reading(of:after:)``.
  package func isGrave(_ message: String, profile: SafetyProfile = .adult) -> Bool {
    reading(of: message).isGrave(profile: profile)
  }

  /// As ``DangerReading/mayTellOfDanger(profile:)`` of ``reading(of:after:)``.
  package func mayTellOfDanger(_ message: String, profile: SafetyProfile = .adult) -> Bool {
    reading(of: message).mayTellOfDanger(profile: profile)
  }
}
