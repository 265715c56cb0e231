// SPDX-License-Identifier: Apache-2.0
/// Finds which of what a pet was told answers a line: `Models/recall-v2.bin`, made by `Training/train_recall.py`, tells which statements are
/// worth reading, and ``AnswerReader`` reads them.
///
/// Answer sentence selection (Yang et al., WikiQA, EMNLP 2015): each line is a vector, a statement may answer a question where the product of
/// both is great, or they share words. A question may be after what was not told, most lines are after nothing that was told.
package struct AnswerSelector: Sendable {
  package enum Finding: Sendable, Equatable {
    /// Nothing that was told is asked for, or that is not sure.
    case nothing
    /// What only the person can know, and has not told, or probably not.
    case untold(isSure: Bool)
    /// The place of the statement that answers: facts first, then lines.
    case told(Int)
    /// Those that may answer, the likeliest first.
    case perhaps([Int])
  }

  /// The outputs of the network for a line, in their order.
  private enum Part {
    static let size = 64
    static let shared = 4
    /// As a question: that nothing told is asked for, and that what is asked for is not told.
    static let own = 0..<2
    /// How much it counts what a statement shares with it.
    static let weights = 2..<2 + shared
    static let question = weights.upperBound..<weights.upperBound + size
    /// As a statement.
    static let statement = question.upperBound..<question.upperBound + size
    static let bias = statement.upperBound
    static let count = bias + 1
  }

  /// Earlier lines that are looked at.
  package static let lines = 8
  /// Statements that are read.
  private static let most = 12
  /// Chosen on the validation part of `Training/recall/people`: how likely any statement answers, and the best one, to be said alone.
  static let leastTold: Float = 0.45
  static let sureTold: Float = 0.75
  /// Of the best one's likelihood: what later statement is said in its place.
  static let shareOfBest: Float = 0.6
  /// Of the best one's likelihood: what else is said where it is not sure, and how many in all.
  static let shareOfPerhaps: Float = 0.15
  static let mostPerhaps = 3
  /// How likely none answers though it is asked for.
  static let leastUntold: Float = 0.6
  /// What says for sure that it was never told is wrong for good.
  static let sureUntold: Float = 0.75
  private let network: WordClassifier
  /// Read with the first line that asks for something.
  private let reader: @Sendable () -> AnswerReader

  /// The one that is built in.
  package static let standard = AnswerSelector(
    network: .builtIn("recall-v2.bin", classes: Part.count), reader: { AnswerReader.standard })

  /// How likely nothing told is asked for, what is asked for is not told, and each statement answers, by the words of each alone.
  /// - Parameters:
  ///   - facts: as in "has a horse named Saffron".
  ///   - earlier: the person's lines before it, oldest first; the last ``lines`` are looked at.
  ///
  /// Complexity: linear in the words of all.
  package func likelihoods(of question: String, facts: [String], after earlier: [String]) -> [Float] {
    let lines = earlier.suffix(Self.lines)
    let before = lines.suffix(2).joined(separator: " . ")
    let asked = network.outputs(FoldedText.words(question), before: FoldedText.words(before))
    let content = AnswerWords.content(of: question)
    let weights = asked[Part.weights]
    let statements = facts.map { ($0, 0) } + lines.enumerated().map { ($1, lines.count - $0) }
    let scores = statements.map { statement, back in
      let told = network.outputs(FoldedText.words(statement))
      let shared = Self.shared(content, AnswerWords.content(of: statement), back: back)
      return Self.product(asked[Part.question], told[Part.statement]) / Float(Part.size).squareRoot()
        + Self.product(weights, shared[...]) + told[Part.bias]
    }
    return WordClassifier.softmax(asked[Part.own] + scores)
  }

  /// - Parameters:
  ///   - facts: as in "has a horse named Saffron".
  ///   - earlier: the person's lines before it, oldest first.
  package func finding(for question: String, facts: [String], after earlier: [String]) -> Finding {
    let words = FoldedText.words(question)
    let standard = AnswerLines.standard
    guard standard.asks(words), !isOfPet(words) else { return .nothing }
    let statements = facts + earlier.suffix(Self.lines)
    let places = likely(question, facts, earlier)
    guard let likelihoods = reader().likelihoods(of: question, beside: places.map { statements[$0] }) else {
      return .nothing
    }
    if likelihoods[1] > Self.leastUntold {
      // Before anything was told, what everybody may know is easily taken for it.
      let isPersonal = !statements.isEmpty || words.contains(where: standard.personalWords.contains)
      return isPersonal ? .untold(isSure: likelihoods[1] > Self.sureUntold) : .nothing
    }
    // Who asked something told nothing.
    let found = zip(places, likelihoods.dropFirst(2)).filter { $0.0 < facts.count || !Self.asks(statements[$0.0]) }
    guard let best = found.map(\.1).max(), found.reduce(0, { $0 + $1.1 }) > Self.leastTold else { return .nothing }
    // Of several that answer, the latest holds.
    if best > Self.sureTold, let latest = found.last(where: { $0.1 >= Self.shareOfBest * best }) {
      return .told(latest.0)
    }
    let near = found.filter { $0.1 >= Self.shareOfPerhaps * best }.sorted { $0.1 > $1.1 }
    return .perhaps(near.prefix(Self.mostPerhaps).map(\.0))
  }

  /// The places of statements that tell of something, the likeliest first.
  package func places(about topic: String, in statements: [String]) -> [Int] {
    let question = "what did i tell you about \(topic)?"
    let places = likely(question, statements, [])
    guard let shares = reader().shares(of: question, beside: places.map { statements[$0] }) else { return [] }
    return zip(places, shares).filter { $0.1 > Self.leastTold }.sorted { $0.1 > $1.1 }.prefix(3).map(\.0)
  }

  /// The places of statements that are worth reading, in their order.
  private func likely(_ question: String, _ facts: [String], _ earlier: [String]) -> [Int] {
    let count = facts.count + min(earlier.count, Self.lines)
    guard count > Self.most else { return Array(0..<count) }
    let statements = likelihoods(of: question, facts: facts, after: earlier).dropFirst(2)
    return zip(0..<statements.count, statements).sorted { $0.1 > $1.1 }.prefix(Self.most).map(\.0).sorted()
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

  /// [``Part/shared``]: content words in both, their share of the question's, whether the statement is a line, and how lately it was said.
  /// - Parameter back: how many lines ago; 0 for a fact.
  private static func shared(_ question: Set<String>, _ statement: Set<String>, back: Int) -> [Float] {
    let both = Float(question.intersection(statement).count)
    return [both / 3, both / Float(max(1, question.count)), back > 0 ? 1 : 0, back > 0 ? 1 / Float(back) : 0]
  }

  private static func product(_ one: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Float {
    zip(one, other).reduce(0) { $0 + $1.0 * $1.1 }
  }
}
