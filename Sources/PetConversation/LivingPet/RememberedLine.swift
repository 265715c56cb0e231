// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory

/// What a pet remembers for one line, from facts that were read once.
final class RememberedLine: LineMemory {
  private static let question = RecallQuestion()
  private static let lines = RecallLines()
  private static let extractor = FactExtractor()
  private static let ranking = FactRanking()
  private static let saidLines = SaidLines(extractor, ranking)
  /// Most facts that a model is told at once; small ones lose sight of more.
  private static let mostTold = 4
  /// Most facts, and most lines of the person, that are looked through for an answer: the latest.
  private static let mostFacts = 300

  private let pet: LivingPet
  private let turn: PetTurn
  private let today: CivilDay
  /// All that is live; nil where it could not be read.
  let facts: [Fact]?
  /// What ``recollection`` tells.
  var recalledInReply: [Int64] {
    if case .known = recollection, case .known(let facts, _, _, _) = finding { facts.map(\.id) } else { [] }
  }

  init(_ facts: [Fact]?, of pet: LivingPet, for turn: PetTurn) {
    (self.facts, self.pet, self.turn) = (facts, pet, turn)
    today = pet.today(at: turn.moment)
  }

  private(set) lazy var recollection = recollect()
  private var finding = RecallFinding.notAsked

  /// What the model is told of the person: what is asked about. Small models bring in whatever else they are told.
  private(set) lazy var recalled: [Fact] = {
    guard let facts, let memory = pet.memory else { return [] }
    return pet.withoutDanger(
      memory.ranking.recall(
        facts.filter { !$0.isQuiet && $0.kind != .said }, for: turn.message, count: Self.mostTold, unasked: 0,
        today: today,
        at: turn.moment.seconds))
  }()

  var isRecalled: Bool { !recalled.isEmpty }
  var vectors: StatementVectors { pet.vectors }

  private(set) lazy var news: ToldFact? = {
    guard let facts, !LivingPet.wishes.isMeant(turn.message), let completed = completed(turn.message),
      let told = Self.extractor.onlyFact(of: completed),
      let kind = ToldLines.Kind(told), !facts.contains(where: { $0.text == told.text })
    else { return nil }
    let source = FactSource(conversation: "", turn: turn.number, origin: .rule)
    let fact = Fact(told, from: source, at: turn.moment.seconds)
    return ToldFact(kind, value: told.value, clause: LivingPet.secondPerson.clause(fact))
  }()

  func known(besides lines: [String]) -> [KnownFact] {
    guard let facts else { return [] }
    let said = lines.map(AnswerWords.content)
    let kept = facts.filter { $0.kind == .said && !$0.isQuiet }.map { ($0, AnswerWords.content(of: $0.value)) }
    let new = facts.filter { fact in
      let (words, value) = (AnswerWords.content(of: fact.text), AnswerWords.content(of: fact.value))
      // What a line tells that is quoted anyway.
      let isInLine = kept.contains { line, told in
        words.isSubset(of: told) || value.isSubset(of: told) && Self.ranking.isSameTelling(line, fact)
      }
      return !fact.isQuiet && !said.contains { words.isSubset(of: $0) } && (fact.kind == .said || !isInLine)
    }
    return new.suffix(Self.mostFacts).map { fact in
      let isQuoted = fact.kind == .said
      let clause = isQuoted ? "" : LivingPet.secondPerson.clause(fact)
      return KnownFact(text: fact.statement, clause: clause, isQuoted: isQuoted, told: fact.created)
    }
  }

  func mayQuote(_ line: String) -> Bool { Self.saidLines.mayQuote(line) }

  func isOfOthers(_ line: String) -> Bool {
    let told = completed(line).map { Self.extractor.proposals(from: $0) } ?? []
    return !told.isEmpty && !told.contains { $0.subject == "user" }
  }

  private func recollect() -> Recollection? {
    guard let facts, let persona = pet.persona else { return nil }
    func found(among facts: [Fact]) -> RecallFinding {
      Self.question.finding(
        in: turn.message, among: facts, pet: persona.name, today: today, at: turn.moment.seconds,
        conversation: pet.home?.conversation ?? "", offset: Int(turn.moment.offset))
    }
    // Most messages ask for nothing that is remembered, and few facts answer one: only where one of them is grave all are judged.
    var finding = found(among: facts)
    switch finding {
    case .notAsked: return nil
    case .unknown: break
    case .known(let told, _, _, _):
      if pet.withoutDanger(told).count < told.count { finding = found(among: pet.withoutDanger(facts)) }
    }
    self.finding = finding
    guard let reply = Self.lines.reply(to: finding, choice: turn.choice).map(Reply.init(written:)) else { return nil }
    guard case .unknown(let missing, let isOfOneself) = finding else {
      guard case .known(let known, _, _, _) = finding, known.count == 1 else { return .known(reply, fact: nil) }
      return .known(reply, fact: KnownFact(text: known[0].value, clause: "", told: known[0].created))
    }
    return .unknown(reply, missing: missing, isOfOneself: isOfOneself)
  }

  private func completed(_ line: String) -> CompletedTurn? {
    CompletedTurn(
      said: line, finished: true, conversation: "", number: turn.number, time: turn.moment.seconds, today: today)
  }
}

extension Fact {
  /// What is read of it: the person's own words, or what was understood.
  var statement: String { kind == .said ? value : text }
}

extension ToldLines.Kind {
  /// Nil for what is too grave or too vague for a line that fits many facts.
  fileprivate init?(_ told: FactProposal) {
    switch told.kind {
    case .name where told.subject == "user" && told.topic.isEmpty: self = .name
    case .likes: self = .likes
    case .dislikes where told.topic.isEmpty: self = .dislikes
    case .place where told.topic.isEmpty, .work where told.text.hasPrefix("works as "),
      .people where told.text.contains(" named "), .pet where told.text.contains(" named "),
      .habit where told.text.hasPrefix("plays "), .name, .age, .birthday, .favourite, .language, .study:
      self = .other
    default: return nil
    }
  }
}
