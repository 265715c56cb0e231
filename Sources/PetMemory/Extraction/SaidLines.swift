// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a person said, kept as it was said: what no rule understands may still answer a question. Pure.
package struct SaidLines: Sendable {
  /// In characters; a longer message is kept in several lines.
  static let longest = 150
  package static let mostOfTurn = 4
  /// At most so many are kept; of more the oldest go.
  package static let most = 300
  private static let days: Int64 = 120
  /// Of a line that says something.
  private static let leastWords = 2
  private static let shortLine = 3

  private let extractor: FactExtractor
  private let ranking: FactRanking
  private var rules: FactRules { extractor.rules }

  package init(_ extractor: FactExtractor, _ ranking: FactRanking) {
    (self.extractor, self.ranking) = (extractor, ranking)
  }

  /// - Parameters:
  ///   - last: what was kept of the turn before, on which a line may lean that says "no, on Thursday".
  ///   - understood: how many facts rules found in it.
  /// - Complexity: the length of the message, of which the first 4000 characters count.
  package func proposals(from turn: CompletedTurn, after last: Fact?, understood: Int) -> [FactProposal] {
    // Of a short line that tells a fact nothing is left.
    let isShort = understood > 0 && ranking.content(turn.said).count <= Self.shortLine
    guard !isShort, extractor.onlyFact(of: turn) == nil, !extractor.isJoke(turn.said) else { return [] }
    let end = turn.time.addingReportingOverflow(Self.days * 86_400)
    var before = last
    var proposals: [FactProposal] = []
    for line in lines(of: turn.said).prefix(Self.mostOfTurn) where isTelling(line) {
      let both = before.map { "\($0.value) / \(line)" }
      let isLeaning = rules.leaning.contains(firstWord(of: line))
      let text = isLeaning && (both?.count ?? .max) <= Self.longest ? both ?? line : line
      var proposal = FactProposal(
        .said, value: text, text: "“\(text)”", confidence: 0.5, importance: 0.2,
        expires: end.overflow ? nil : end.partialValue)
      if text != line { proposal.corrects = before?.id }
      proposals.append(proposal)
      before = nil
    }
    return proposals
  }

  /// Whether a line has what opens something, or is a number that is nobody's business.
  package static func isSecret(_ line: String, _ extractor: FactExtractor = FactExtractor()) -> Bool {
    Sentence.all(in: line).contains { sentence in
      extractor.isSecret(sentence) || sentence.tokens.contains { extractor.rules.guarded.contains($0.word) }
    }
  }

  /// Sentences that tell something, as many in a line as there is room for.
  private func lines(of message: String) -> [String] {
    var lines: [String] = []
    for sentence in sentences(of: message) {
      if let last = lines.last, last.count + 1 + sentence.count <= Self.longest {
        lines[lines.count - 1] = "\(last) \(sentence)"
      } else {
        lines.append(sentence)
      }
    }
    return lines
  }

  private func sentences(of message: String) -> [String] {
    String(message.prefix(Sentence.longestMessage)).split(whereSeparator: \.isNewline)
      .flatMap { String($0).sentences.flatMap(Self.pieces) }
      .filter { text in
        let parts = Sentence.all(in: text)
        return !parts.isEmpty && !parts.contains { isQuestion($0) } && !Self.isSecret(text, extractor)
      }
  }

  /// With its mark, or in the order of words of one: "cant stand coriander" begins with a verb, and asks nothing.
  func isQuestion(_ sentence: Sentence) -> Bool {
    let words = sentence.tokens.filter { !$0.isBreak }.map(\.word).drop { rules.leads.contains($0) }
    guard let first = words.first else { return true }
    let isOfSomebody = words.dropFirst().first.map(Self.subjects.contains) ?? false
    return sentence.isQuestion || Self.questionWords.contains(first) != isOfSomebody && rules.questions.contains(first)
  }

  private static let questionWords: Set<String> = ["what", "who", "whose", "which", "where", "when", "how", "why"]
  private static let subjects: Set<String> = [
    "i", "we", "you", "he", "she", "it", "they", "there", "my", "our", "your", "any", "anyone",
  ]

  /// A sentence without an end in parts of whole words.
  private static func pieces(of sentence: Substring) -> [String] {
    var pieces: [String] = []
    for word in sentence.split(whereSeparator: \.isWhitespace).map({ FactProposal.line(String($0)) }) {
      if let last = pieces.last, last.count + 1 + word.count <= longest {
        pieces[pieces.count - 1] = "\(last) \(word)"
      } else {
        pieces.append(String(word.prefix(longest)))
      }
    }
    return pieces
  }

  /// Whether it says something of the person, or of what is in the person's life; what is wrong with others is theirs.
  private func isTelling(_ line: String) -> Bool {
    let words = Words.of(line)
    let isOfThePet = words.contains { ["you", "your", "youre", "u", "ur"].contains($0) }
    let isOwn = words.contains { ["i", "im", "ive", "id", "my", "me", "mine", "we", "our", "us", "ours"].contains($0) }
    let isIllness = words.contains { rules.ailments.contains($0) }
    let isOfOthers = words.contains { rules.others.contains($0) || rules.relation($0) != nil }
    return (isOwn || !isOfThePet) && !(isIllness && isOfOthers)
      && ranking.content(line).count >= Self.leastWords
  }

  private func firstWord(of line: String) -> String {
    let plain = line.lowercased().replacing("’", with: "'").drop { !$0.isLetter }
    return String(plain.prefix { $0.isLetter || $0 == "'" })
  }
}
