// SPDX-License-Identifier: Apache-2.0
/// What the person told is said to who asks for it in other words: a fact, or the line in which it was told. A small model would make
/// something up.
enum ToldRung {
  enum Finding: Sendable {
    /// Nobody told it.
    case untold(Reply)
    /// - line: of the person, where it surely answers.
    case told(Reply, line: KnownFact?)
  }

  static func reply(_ facts: TurnFacts) -> WrittenReply? {
    // "Who beats me at draughts?" only has a word that danger is told with.
    guard !facts.line.danger.isGrave(profile: facts.care.profile), case .told(let reply, _) = facts.told else {
      return nil
    }
    return facts.written(.told, reply)
  }

  /// Nil where a message asks for nothing that the pet was told.
  static func finding(for facts: TurnFacts) -> Finding? {
    guard let persona = facts.pet.persona else { return nil }
    func line(_ kind: AnswerLines.Kind, _ told: String = "") -> Reply? {
      AnswerLines.standard.reply(
        kind, told, temperament: persona.temperament, choice: facts.pet.choice, last: facts.pet.said.last)
    }
    let lines = Array(facts.telling.suffix(AnswerSelector.lines).filter { facts.memory?.mayQuote($0) != false })
    let told = facts.pet.given + (facts.memory?.known(besides: lines) ?? [])
    let statements = told + lines.map { KnownFact(text: $0, clause: "", isQuoted: true, told: .max) }
    /// It says again what a person wrote: no better words than a model may use.
    func said(_ kind: AnswerLines.Kind, _ found: [KnownFact]) -> Reply? {
      let found = found.filter { !DangerDetector().isGrave($0.text, profile: facts.care.profile) }
      guard !found.isEmpty, let reply = line(kind, found.map(Self.words).listed),
        ReplyCheck.standard.allows(quote: reply.text)
      else { return nil }
      return reply
    }
    // What rules look for and do not find among facts only the person's own words may still tell, and what was given from the start.
    var isUnknown = false
    if case .unknown(_, _, isOfOneself: true) = facts.recollection { isUnknown = true }
    func mayTell(_ fact: KnownFact) -> Bool { !isUnknown || fact.isQuoted || fact.told == .min }
    let finding = AnswerSelector.standard.finding(
      for: facts.message, facts: told.map(\.text), after: lines, facts.memory?.vectors ?? StatementVectors())
    switch finding {
    case .nothing: return nil
    case .untold(let isSure): return line(isSure ? .untold : .unsure).map(Finding.untold)
    case .told(let place):
      let fact = statements[place]
      guard mayTell(fact) else { return nil }
      return said(fact.isQuoted ? .quote : .fact, [fact]).map { .told($0, line: fact.isQuoted ? fact : nil) }
    case .perhaps(let places):
      let found = places.map { statements[$0] }.filter(mayTell)
      return found.isEmpty ? nil : said(.perhaps, found).map { .told($0, line: nil) }
    }
  }

  private static func words(_ fact: KnownFact) -> String {
    guard fact.isQuoted else { return fact.clause }
    // A line that leans on the one before is kept with it.
    return fact.text.withoutBraces.split(separator: " / ").map { "“\($0)”" }.joined(separator: ", then ")
  }
}
