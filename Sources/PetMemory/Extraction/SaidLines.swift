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
  /// So many lines back a correction is looked for.
  private static let mostBack = 60

  private let extractor: FactExtractor
  private let ranking: FactRanking
  private var rules: FactRules { extractor.rules }

  package init(_ extractor: FactExtractor, _ ranking: FactRanking) {
    (self.extractor, self.ranking) = (extractor, ranking)
  }

  /// - Parameters:
  ///   - known: what is remembered; a line may lean on what was kept of the turn before, or correct an earlier one.
  ///   - understood: how many facts rules found in it.
  /// - Complexity: the length of the message, of which the first 4000 characters count.
  package func proposals(from turn: CompletedTurn, among known: [Fact], understood: Int) -> [FactProposal] {
    // Of a short line that tells a fact nothing is left.
    let isShort = understood > 0 && ranking.content(turn.said).count <= Self.shortLine
    guard !isShort, extractor.onlyFact(of: turn) == nil, !extractor.isJoke(turn.said) else { return [] }
    let end = turn.time.addingReportingOverflow(Self.days * 86_400)
    let kept = known.filter { $0.kind == .said }.suffix(Self.mostBack)
    var last = kept.last { $0.source.conversation == turn.conversation && $0.source.turn == turn.number - 1 }
    var proposals: [FactProposal] = []
    for line in lines(of: turn.said).prefix(Self.mostOfTurn) where isTelling(line) {
      let base = base(of: line, last: last, among: Array(kept))
      let both = base.map { "\($0.value) / \(line)" }
      let text = both.flatMap { $0.count <= Self.longest ? $0 : nil } ?? line
      var proposal = FactProposal(
        .said, value: text, text: "“\(text)”", confidence: 0.5, importance: 0.2,
        expires: end.overflow ? nil : end.partialValue)
      if text != line, let base { proposal.corrects = [base.id] + former(of: base, correctedBy: line, among: known) }
      proposals.append(proposal)
      last = nil
    }
    return proposals
  }

  /// The line that another goes on from, or corrects: of those lately told the one with most of its words, else the one before it.
  private func base(of line: String, last: Fact?, among lines: [Fact]) -> Fact? {
    let first = firstWord(of: line)
    let words = Set(ranking.content(line))
    func shared(_ fact: Fact) -> Int { words.intersection(ranking.content(fact.value)).count }
    let isOtherwise = has(rules.correcting, line) || has(rules.changing, line)
    if isOtherwise, let most = lines.map(shared).max(), most > (last.map(shared) ?? 0) {
      return lines.last { shared($0) == most }
    }
    let isImpersonal = !rules.impersonal.isDisjoint(with: Words.of(line)) && first.hasPrefix("it")
    return rules.leaning.contains(first) && !isImpersonal ? last : nil
  }

  private func has(_ phrases: [String], _ line: String) -> Bool {
    let words = " ^ \(Words.of(line).joined(separator: " ")) "
    return phrases.contains { words.contains(" \($0) ") }
  }

  /// What was understood of a line, and is otherwise by the words of another.
  private func former(of base: Fact, correctedBy line: String, among known: [Fact]) -> [Int64] {
    guard has(rules.correcting, line) else { return [] }
    let words = Set(ranking.content(line))
    return known.filter { ranking.isSameTelling($0, base) && !words.isDisjoint(with: ranking.words(of: $0)) }.map(\.id)
  }

  /// Whether a line has what opens something, or is a number that is nobody's business.
  package static func isSecret(_ line: String, _ extractor: FactExtractor = FactExtractor()) -> Bool {
    Sentence.all(in: line).contains { sentence in
      extractor.isSecret(sentence) || sentence.tokens.contains { extractor.rules.guarded.contains($0.word) }
    }
  }

  /// Whether a line tells something, and nothing that opens anything.
  package func mayQuote(_ line: String) -> Bool { !Self.isSecret(line, extractor) && !sentences(of: line).isEmpty }

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
