// SPDX-License-Identifier: Apache-2.0
/// A fact that the person told is said to who asks for it in other words, where the model's reply does not take it up.
enum ToldRung {
  enum Finding: Sendable {
    /// Nobody told it.
    case untold(Reply)
    /// A fact answers, and how the pet says it.
    case told(Grounds, Reply)
    /// A line that was said before answers: the model has read it.
    case said
  }

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    guard case .told(let grounds, let reply) = facts.told else { return nil }
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
    switch AnswerSelector.standard.finding(for: facts.message, facts: told.map(\.text), after: lines) {
    case .nothing: return nil
    case .untold(let isSure): return isAll ? line(isSure ? .untold : .unsure).map(Finding.untold) : nil
    case .told(let place) where place >= told.count: return .said
    case .told(let place):
      let fact = told[place]
      // It says again what a person wrote: no better words than a model may use.
      guard let reply = line(.fact, fact.clause), ReplyCheck.standard.verdict(on: reply.text) == .pass,
        !DangerDetector().mayTellOfDanger(fact.text, profile: facts.care.profile)
      else { return nil }
      let others = told.map(\.text).enumerated().filter { $0.offset != place }.map(\.element) + lines
      return .told(Grounds(fact.text, others: others, message: facts.message), reply)
    }
  }
}
