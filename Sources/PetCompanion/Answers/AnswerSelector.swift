// SPDX-License-Identifier: Apache-2.0
/// Decides which of what a pet was told answers a line, by what ``AnswerReader`` says of the line and of each statement.
///
/// Answer sentence selection (Yang et al., WikiQA, EMNLP 2015): a question may be after what was not told, most lines are after nothing that was told.
package struct AnswerSelector: Sendable {
  package enum Finding: Sendable, Equatable {
    /// Nothing that was told is asked for, or that is not sure.
    case nothing
    /// What only the person can know, and has not told, or probably not.
    case untold(isSure: Bool)
    /// The place of the statement that answers: facts first, then lines.
    case told(Int)
    /// Those that may answer, the earliest first.
    case perhaps([Int])
  }

  /// Earlier lines that are looked at.
  package static let lines = 8
  /// How likely any statement must answer for anything to be said, and the best one to be said alone, without a doubt.
  static let leastTold: Float = 0.45
  static let sureTold: Float = 0.82
  /// The same of one that has all words of the question; "what is my name?" has none but those of any question.
  static let sureInWords: Float = 0.5
  /// How likely nothing that was told must be asked for to leave a question that is not sure to the model.
  static let leastNothing: Float = 0.35
  /// Of the best one's likelihood: what else is said, and how many in all.
  static let shareOfBest: Float = 0.08
  static let mostPerhaps = 3
  /// How much more the last statement counts than the first: later words correct earlier ones.
  private static let laterCounts: Float = 1.5
  /// How likely none answers though it is asked for.
  static let leastUntold: Float = 0.5
  /// What says for sure that it was never told is wrong for good.
  static let sureUntold: Float = 0.72
  /// A line with a word of questions in the midst of it asks for something only where it is hardly likely to ask for nothing, and one statement
  /// answers: "cousin cooks on saturday, which meat i must leave". Of 1,855 lines that tell something 14 are taken to ask, and 7 without these.
  static let (mostNothing, leastAlone): (Float, Float) = (0.1, 0.4)
  private static let manyUnread = 32
  /// Read with the first line that asks for something.
  private let reader: @Sendable () -> AnswerReader

  /// The one that is built in.
  package static let standard = AnswerSelector(reader: { AnswerReader.standard })

  /// - Parameters:
  ///   - facts: as in "has a horse named Saffron".
  ///   - earlier: the person's lines before it, oldest first; the last ``lines`` are looked at.
  ///   - known: of statements that were read before.
  ///
  /// Complexity: as of ``AnswerReader/likelihoods(of:beside:_:)``.
  package func finding(
    for question: String, facts: [String], after earlier: [String], _ known: StatementVectors = StatementVectors()
  ) -> Finding {
    let words = FoldedText.words(question)
    let standard = AnswerLines.standard
    let hasMark = standard.mayAsk(words)
    guard hasMark || words.contains(where: standard.questionWords.contains), !isOfPet(words) else { return .nothing }
    let statements = facts + earlier.suffix(Self.lines)
    guard let likelihoods = reader().likelihoods(of: question, beside: statements, known) else { return .nothing }
    guard hasMark || Self.mayAsk(likelihoods) else { return .nothing }
    if likelihoods[1] > Self.leastUntold {
      // Before anything was told, what everybody may know is easily taken for it.
      let isPersonal = !statements.isEmpty || words.contains(where: standard.personalWords.contains)
      return isPersonal ? .untold(isSure: likelihoods[1] > Self.sureUntold) : .nothing
    }
    // Who asked something told nothing.
    let found = zip(statements.indices, likelihoods.dropFirst(2)).filter { place, _ in
      place < facts.count || !Self.asks(statements[place])
    }
    let all = found.reduce(0) { $0 + $1.1 }
    guard all > Self.leastTold || likelihoods[0] < Self.leastNothing else { return .nothing }
    guard all > min(Self.leastTold, likelihoods[1]) else { return .untold(isSure: false) }
    let weighed = found.map { ($0, $1 * (1 + Self.laterCounts * Float($0) / Float(statements.count))) }
    let best = weighed.map(\.1).max() ?? 0
    let near = weighed.filter { $0.1 >= Self.shareOfBest * best }.sorted { $0.1 > $1.1 }.prefix(Self.mostPerhaps)
    let asked = AnswerWords.content(of: question)
    let isSure = found.contains { place, likelihood in
      likelihood > Self.sureTold
        || likelihood > Self.sureInWords && asked.isSubset(of: AnswerWords.content(of: statements[place]))
    }
    if near.count == 1, isSure { return .told(near[0].0) }
    return .perhaps(near.map(\.0).sorted())
  }

  private static func mayAsk(_ likelihoods: [Float]) -> Bool {
    likelihoods[0] < mostNothing && likelihoods.dropFirst(2).contains { $0 > leastAlone }
  }

  /// The places of statements that tell of something, the likeliest first.
  package func places(about topic: String, in statements: [String], _ known: StatementVectors) -> [Int] {
    let question = "what did i tell you about \(topic)?"
    guard let shares = reader().shares(of: question, beside: statements, known) else { return [] }
    return zip(statements.indices, shares).filter { $0.1 > Self.leastTold }.sorted { $0.1 > $1.1 }.prefix(3).map(\.0)
  }

  /// The place of the statement that a line means which names it in other words: "that thing at the sleepover, take it out of your head".
  /// Rare words in both count most. Nil where none is near.
  ///
  /// Complexity: as of ``finding(for:facts:after:_:)``.
  package func place(meantBy line: String, in statements: [String], _ known: StatementVectors) -> Int? {
    guard let near = reader().nearness(of: line, to: statements, known)?.near else { return nil }
    let words = AnswerWords.content(of: line).subtracting(Self.wordsOfWishes)
    let told = statements.map { AnswerWords.content(of: $0).intersection(words) }
    let scores = told.indices.map { place in
      let shared = told[place].reduce(Float(0)) { sum, word in sum + 1 / Float(told.count { $0.contains(word) }) }
      return near[place] + Self.worthOfWord * shared
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }), scores[best] > Self.leastMeant else {
      return nil
    }
    return best
  }

  /// Chosen on wishes of `Training/recall/people` by two writers who are not among those of whom the reader learned: of 320 the right one of some
  /// 23 statements is the best for 72 %.
  private static let (worthOfWord, leastMeant): (Float, Float) = (0.1, 0.4)
  private static let wordsOfWishes: Set<String> = [
    "forget", "mention", "bring", "say", "said", "tell", "told", "talk", "speak", "never", "ever", "please", "pls",
    "memory", "mind", "head", "thing",
    "stuff", "bit", "part", "keep", "delet", "eras", "wip", "scrap", "drop", "lose", "leav", "out",
  ]

  /// Reads statements before anybody asks, where there are so many that it would take long.
  package func readAhead(_ statements: [String], into known: StatementVectors) async {
    let unread = known.unread(of: statements)
    guard unread.count >= Self.manyUnread else { return }
    for statement in unread {
      reader().read(statement, into: known)
      await Task.yield()
    }
  }

  /// Whether a question is for the pet's own likes and doings, and not for what it remembers of its person.
  private func isOfPet(_ words: [String]) -> Bool {
    let standard = AnswerLines.standard
    return words.contains(where: standard.petWords.contains)
      && !words.contains { standard.personalWords.contains($0) || standard.rememberingWords.contains($0) }
  }

  /// Of "did i tell you that my dog is called Rex?" the answer is part.
  private static func asks(_ line: String) -> Bool {
    let words = FoldedText.words(line)
    return AnswerLines.standard.asks(words) && !words.contains { $0 == "tell" || $0 == "told" }
  }
}
