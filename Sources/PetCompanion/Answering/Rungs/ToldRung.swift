// SPDX-License-Identifier: Apache-2.0
import PetText

/// What the person told is quoted to who asks for it, where the model's reply does not take it up.
enum ToldRung {
  enum Finding: Sendable {
    /// Nobody told it.
    case untold(Reply)
    /// What the pet was told, and how it says that.
    case told(Grounds, Reply, isFact: Bool)
  }

  /// Longer lines are said again in part.
  private static let longestQuote = 24

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .told(let grounds, let reply, _) = facts.told else { return nil }
    var written = facts.written(.told, reply)
    written?.expectation = .takesUp(grounds)
    written?.rightness = AnswerSelector.rightness
    return written
  }

  /// Nil where a message asks for nothing that the pet was told.
  static func finding(for facts: TurnFacts) -> Finding? {
    // Who asks for the pet itself does not ask for what it was told.
    guard let persona = facts.pet.persona, facts.reading.intent(isTold: true)?.isOfThePet != true else { return nil }
    func line(_ kind: AnswerLines.Kind, _ told: String = "") -> Reply? {
      AnswerLines.standard.reply(
        kind, told, temperament: persona.temperament, choice: facts.pet.choice, last: facts.pet.said.last)
    }
    let lines = Array(facts.telling.suffix(AnswerSelector.lines))
    let (known, isAll) = facts.memory?.known(besides: lines) ?? ([], true)
    let told = facts.pet.given + known
    let statements = told.map(\.text) + lines
    switch AnswerSelector.standard.finding(for: facts.message, facts: told.map(\.text), after: lines) {
    case .nothing: return nil
    case .untold(let isSure): return isAll ? line(isSure ? .untold : .unsure).map(Finding.untold) : nil
    case .told(let place):
      let isFact = place < told.count
      let words = isFact ? told[place].clause : quote(lines[place - told.count], for: facts.message)
      // It says again what a person wrote: no better words than a model may use.
      guard let words, let reply = line(isFact ? .fact : .line, words),
        ReplyCheck.standard.verdict(on: reply.text) == .pass,
        !DangerDetector().mayTellOfDanger(statements[place], profile: facts.care.profile)
      else { return nil }
      let others = statements.indices.filter { $0 != place }.map { statements[$0] }
      return .told(Grounds(statements[place], others: others, message: facts.message), reply, isFact: isFact)
    }
  }

  /// The person's words; of many, the sentence that answers.
  private static func quote(_ line: String, for message: String) -> String? {
    func isShort(_ text: some StringProtocol) -> Bool { text.split(separator: " ").count <= longestQuote }
    guard !isShort(line) else { return line }
    let sentences = line.sentences.map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init)
    let likelihoods = AnswerSelector.standard.likelihoods(of: message, facts: [], after: sentences).dropFirst(2)
    guard let best = likelihoods.indices.max(by: { likelihoods[$0] < likelihoods[$1] }) else { return nil }
    // The last of them were looked at.
    let sentence = sentences[sentences.count - likelihoods.count + best - likelihoods.startIndex]
    return isShort(sentence) ? sentence : nil
  }
}
