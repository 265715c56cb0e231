import PetCompanion
import PetMemory

/// What a pet was told and is asked for.
extension LivingPet {
  /// Most facts that are looked through; of more, those that share words with the message.
  private static let mostFacts = 24
  /// Longer lines are said again in part.
  private static let longestQuote = 24

  enum ToldAnswer: Sendable {
    /// Nobody told it.
    case untold(Reply)
    /// What it was told, and how it says that.
    case told(Grounds, Reply, isFact: Bool)
  }

  /// Nil where a message asks for nothing that the pet was told.
  func answer(to turn: PetTurn, _ reading: LineReading) async -> ToldAnswer? {
    let message = turn.message
    // Who asks for the pet itself does not ask for what it was told.
    guard let persona, reading.intent(isTold: true)?.isOfThePet != true, !mayTellOfDanger(turn) else { return nil }
    let heard = turn.heard.suffix(AnswerSelector.lines)
    let lines = heard.filter { !turn.isOfOneself || !isOfOthers($0, turn) }
    let (known, isAll) = await known(for: message, besides: lines, at: turn.moment)
    let clauses = given.map(Self.secondPerson.clause) + known.map(Self.secondPerson.clause)
    let facts = given + known.map(\.text)
    let selector = AnswerSelector.standard
    switch selector.finding(for: message, facts: facts, after: lines) {
    case .nothing: return nil
    case .untold(let isSure):
      let reply = AnswerLines.standard.reply(
        isSure ? .untold : .unsure, temperament: persona.temperament, choice: choice, last: said.last)
      return isAll ? reply.map(ToldAnswer.untold) : nil
    case .told(let place):
      let statements = facts + lines
      let isFact = place < facts.count
      guard let words = isFact ? clauses[place] : quote(lines[place - facts.count], for: message),
        let reply = AnswerLines.standard.reply(
          isFact ? .fact : .line, words, temperament: persona.temperament, choice: choice, last: said.last),
        // It says again what a person wrote: no better words than a model may use.
        ReplyCheck.standard.verdict(on: reply.text) == .pass,
        !detector.mayTellOfDanger(statements[place], profile: settings.safety)
      else { return nil }
      let others = statements.indices.filter { $0 != place }.map { statements[$0] }
      return .told(Grounds(statements[place], others: others, message: message), reply, isFact: isFact)
    }
  }

  /// What it remembers that the lines do not say anyway, and whether that is all of it.
  private func known(
    for message: String, besides lines: [String], at moment: Moment
  ) async -> (facts: [Fact], isAll: Bool) {
    // Who cannot look anything up can still talk; where that fails, who asks for the model's prompt is told.
    guard let all = try? await memory?.facts(at: moment.seconds) else { return ([], memory == nil) }
    let isAll = all.count <= Self.mostFacts
    let facts = isAll ? withoutDanger(all) : (try? await recall(for: message, at: moment)) ?? []
    let said = lines.map(AnswerWords.content)
    let new = facts.filter { fact in
      let words = AnswerWords.content(of: fact.text)
      return !said.contains { words.isSubset(of: $0) }
    }
    return (new, isAll)
  }

  /// The person's words; of many, the sentence that answers.
  private func quote(_ line: String, for message: String) -> String? {
    func isShort(_ text: some StringProtocol) -> Bool { text.split(separator: " ").count <= Self.longestQuote }
    guard !isShort(line) else { return line }
    let sentences = line.sentences.map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init)
    let likelihoods = AnswerSelector.standard.likelihoods(of: message, facts: [], after: sentences).dropFirst(2)
    guard let best = likelihoods.indices.max(by: { likelihoods[$0] < likelihoods[$1] }) else { return nil }
    // The last of them were looked at.
    let sentence = sentences[sentences.count - likelihoods.count + best - likelihoods.startIndex]
    return isShort(sentence) ? sentence : nil
  }
}
