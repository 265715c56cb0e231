import PetCompanion
import PetMemory

/// What a pet says by hand-written words, where a model would do worse.
extension LivingPet {
  private static let recall = RecallQuestion()
  private static let recallLines = RecallLines()
  private static let extractor = FactExtractor()
  static let secondPerson = SecondPerson()

  /// What else the first message would wait for.
  static func readWrittenWords() {
    _ = (CommonKnowledge.standard, FrequentReplies.standard, ComprehensionRules.standard, IntentClassifier.standard)
    _ = (IntentLines.standard, SympathyLines.standard, Reflection.standard, AnswerSelector.standard, ReplyBank.builtIn)
  }

  func written(
    for turn: inout PetTurn, _ manner: PetManner, isPetModel: Bool, isOpening: Bool
  ) async -> PetDecision? {
    let message = turn.message
    let isWatching = isWatching(turn.conversation)
    let heard = turn.heard
    lazy var reading = IntentClassifier.standard.reading(of: message, after: heard)
    let recollection = await recollection(for: &turn)
    if case .known(let reply) = recollection { return .answer(reply, .rule) }
    if case .unknown(let reply, let missing) = recollection,
      isUnheardOf(missing, after: turn.isOfOneself ? heard.filter { !isOfOthers($0, turn) } : heard)
        || given.isEmpty && (isWatching || !isPetModel)
    {
      // Words that are all new may ask for what a line told in others; facts were looked through.
      guard isPetModel, !isWatching,
        case .told(_, _, isFact: false) = await answer(to: turn, reading)
      else { return .answer(reply, .rule) }
    }
    if let reply = frequent(message, manner, isWatching: isWatching) { return .answer(reply, .cache) }
    if isPetModel, !isWatching, let persona,
      let reply = CommonKnowledge.standard.result(
        of: message, temperament: persona.temperament, choice: choice, recent: said)
    {
      return .answer(able(reply, manner), .rule)
    }
    if case .answer(let match) = fromBank(message, in: turn.conversation, manner, isOpening: isOpening, mayOffer: false),
      await !isTold(turn, reading)
    {
      hasAnswered(with: match.exchange.id)
      return .answer(able(match.exchange.reply, manner), .bank)
    }
    guard isPetModel else { return nil }
    if let reply = incomprehension(of: turn, isWatching: isWatching) { return .answer(able(reply, manner), .rule) }
    guard !isWatching else { return nil }
    // "Tell me a dirty joke" asks for no joke.
    if reading.intent() != .improper, let reply = commonKnowledge(message) {
      return .answer(able(reply, manner), .rule)
    }
    switch await answer(to: turn, reading) {
    case .untold(let reply): return .answer(able(recollection?.reply ?? reply, manner), .rule)
    case .told(let grounds, let reply, _):
      turn.expectation = Expectation(.takesUp(grounds), instead: able(reply, manner))
      return nil
    case nil: break
    }
    if let reply = await limit(to: turn, reading, manner) { return .answer(able(reply, manner), .rule) }
    if let reply = await acknowledgement(of: turn) { return .answer(able(reply, manner), .rule) }
    // Good news must be surer than plain words of bad ones.
    let sentiment = SympathyLines.standard.plainSorrow(in: message) ?? reading.sentiment
    turn.restatement = restatement(of: turn, sentiment)
    turn.expectation = sympathy(with: turn, sentiment, manner)
    return nil
  }

  /// Whether a message asks for something that the pet was told: the bank knows nobody.
  private func isTold(_ turn: PetTurn, _ reading: LineReading) async -> Bool {
    guard case .told = await answer(to: turn, reading) else { return false }
    return true
  }

  /// What a reply must show to how the person feels.
  private func sympathy(with turn: PetTurn, _ sentiment: Sentiment?, _ manner: PetManner) -> Expectation? {
    guard let persona, let sentiment,
      let reply = SympathyLines.standard.reply(
        to: sentiment, temperament: persona.temperament, choice: choice, recent: said)
    else { return nil }
    var restated = able(reply, manner)
    if let words = turn.restatement {
      restated.text = "\(words)\(sentiment == .joy ? "!" : "?") \(reply.text)"
    }
    return Expectation(.shows(sentiment, to: turn.message), instead: restated)
  }

  /// A clause of the message as it is said to the person, where it is no worse than what a model may say, and in the mood of the whole.
  private func restatement(of turn: PetTurn, _ sentiment: Sentiment?) -> String? {
    guard let persona, !mayTellOfDanger(turn),
      let words = Reflection.standard.restatement(of: turn.message, pet: persona.name),
      ReplyCheck.standard.verdict(on: words) == .pass
    else { return nil }
    guard let sentiment else { return words }
    let own = IntentClassifier.standard.reading(of: words).sentiment
    return (own == .joy) == (sentiment == .joy) ? words : nil
  }

  /// What a model must do better than.
  func offer(for turn: PetTurn, _ manner: PetManner, isOpening: Bool) -> WrittenOffer? {
    if let expectation = turn.expectation, case .takesUp = expectation.kind {
      return WrittenOffer(reply: expectation.instead, origin: .told, rightness: AnswerSelector.rightness)
    }
    // What is remembered for the message is the model's to take up. Where the words leave danger open, the model's flag and its own words count.
    guard settings.usesBank, turn.told.isEmpty, given.isEmpty, !isWatching(turn.conversation), !mayTellOfDanger(turn)
    else {
      return nil
    }
    let reflection = reflection(of: turn, manner)
    guard turn.expectation == nil,
      case .offer(let match) = fromBank(
        turn.message, in: turn.conversation, manner, isOpening: isOpening, mayOffer: true),
      match.closeness > reflection?.rightness ?? 0
    else { return reflection }
    return WrittenOffer(
      reply: able(match.exchange.reply, manner), origin: .exchange(match.exchange.id), rightness: match.closeness)
  }

  /// What the person wrote, said back, with sympathy where that is called for.
  private func reflection(of turn: PetTurn, _ manner: PetManner) -> WrittenOffer? {
    guard let persona, let words = turn.restatement else { return nil }
    let rightness = Reflection.rightness(
      isFelt: turn.expectation != nil, isAgain: lastReflection == turn.number - 1)
    // A line that shows how the person feels has the words already.
    let reply =
      turn.expectation?.instead
      ?? Reflection.standard.reply(saying: words, temperament: persona.temperament, choice: choice, recent: said)
    return reply.map { WrittenOffer(reply: able($0, manner), origin: .reflection, rightness: rightness) }
  }

  func hasSaid(_ offer: WrittenOffer, in turn: PetTurn) {
    switch offer.origin {
    case .exchange(let exchange): hasAnswered(with: exchange)
    case .reflection: lastReflection = turn.number
    case .told: break
    }
  }

  /// It says no exchange's reply again soon.
  private func hasAnswered(with exchange: Int) { bankAnswers = (bankAnswers + [exchange]).suffix(Self.recentLines) }

  private func incomprehension(of turn: PetTurn, isWatching: Bool) -> Reply? {
    let rules = ComprehensionRules.standard
    let comprehension = rules.judge(turn.message)
    // A page with a dark line in it is not put off: the model may raise its flag.
    guard let persona, comprehension != .tooLong || !(isWatching || mayTellOfDanger(turn)),
      !(comprehension.isWordless && isWatching)
    else { return nil }
    // Nothing is played down where danger was told of.
    return rules.reply(
      to: comprehension, temperament: isWatching ? "" : persona.temperament, choice: choice, last: said.last)
  }

  /// To an easy question or a small request.
  private func commonKnowledge(_ message: String) -> Reply? {
    persona.flatMap {
      CommonKnowledge.standard.reply(to: message, temperament: $0.temperament, choice: choice, recent: said)
    }
  }

  /// To what a small model would promise, make up, or answer against how the pet fares.
  private func limit(to turn: PetTurn, _ reading: LineReading, _ manner: PetManner) async -> Reply? {
    guard let persona, reading.intent() != nil else { return nil }
    // Where that fails, who asks for the model's prompt is told.
    let told = (try? await recall(for: turn.message, at: turn.moment)) ?? []
    let isTold = !told.isEmpty || !given.isEmpty
    guard let intent = reading.intent(isTold: isTold) else { return nil }
    if let reply = Honesty.standard.reply(to: intent, temperament: persona.temperament, choice: choice) {
      count(in: turn.conversation) { $0.countDisclosure() }
      return reply
    }
    return IntentLines.standard.reply(to: intent, from: persona, manner.state, choice: choice, recent: said)
  }

  private enum Recollection {
    case known(Reply)
    /// Nothing of it is remembered as a fact; a line may have said it, or what was given from the start.
    case unknown(Reply, missing: String)

    var reply: Reply {
      switch self {
      case .known(let reply), .unknown(let reply, _): reply
      }
    }
  }

  /// To a question for what it was told: a model would make something up.
  private func recollection(for turn: inout PetTurn) async -> Recollection? {
    guard let memory, let persona else { return nil }
    let moment = turn.moment
    do {
      func found(among facts: [Fact]) -> RecallFinding {
        Self.recall.finding(
          in: turn.message, among: facts, pet: persona.name, today: today(at: moment), at: moment.seconds)
      }
      let facts = try await memory.facts(at: moment.seconds)
      // Most messages ask for nothing that is remembered: the facts need not be judged for them.
      guard found(among: facts) != .notAsked else { return nil }
      let finding = found(among: withoutDanger(facts))
      guard let reply = Self.recallLines.reply(to: finding, choice: choice).map(FrequentReplies.read) else {
        return nil
      }
      if case .unknown(let missing, let isOfOneself) = finding {
        turn.isOfOneself = isOfOneself
        return .unknown(reply, missing: missing)
      }
      return .known(reply)
    } catch {
      turn.failure = error
      return nil
    }
  }

  /// Whether nothing that was given or said shares a word with it.
  private func isUnheardOf(_ missing: String, after heard: [String]) -> Bool {
    let told = given + heard
    let words = AnswerWords.content(of: missing)
    // Of "where you come from" no word need be in what tells it.
    guard !words.isEmpty, missing.contains("your ") else { return told.isEmpty }
    return told.allSatisfy { words.isDisjoint(with: AnswerWords.content(of: $0)) }
  }

  /// Whether all that a line tells is of others than the person.
  func isOfOthers(_ line: String, _ turn: PetTurn) -> Bool {
    let completed = CompletedTurn(
      said: line, finished: true, conversation: "", number: turn.number, time: turn.moment.seconds,
      today: today(at: turn.moment))
    let told = completed.map { Self.extractor.proposals(from: $0) } ?? []
    return !told.isEmpty && !told.contains { $0.subject == "user" }
  }

  private func frequent(_ message: String, _ manner: PetManner, isWatching: Bool) -> Reply? {
    guard let name else { return nil }
    let reply = FrequentReplies.standard.reply(
      to: message, pet: name, state: manner.state, isCalm: !isWatching, choice: choice, previous: said.last)
    return reply.map { able($0, manner) }
  }

  private func fromBank(
    _ message: String, in key: ConversationKey, _ manner: PetManner, isOpening: Bool, mayOffer: Bool
  ) -> BankDecision {
    // A pet of somebody's own says what any pet might.
    guard persona != nil, !isWatching(key) else { return .none }
    return ReplyBank.builtIn.policy.decide(
      ReplyBank.builtIn.lookUp(message, pet: name, state: manner.state), isOpening: isOpening, mayOffer: mayOffer,
      recent: bankAnswers, recentTexts: said, choice: choice)
  }

  /// To a message that tells one plain fact and nothing else, which is remembered from then on.
  private func acknowledgement(of turn: PetTurn) async -> Reply? {
    let (message, moment) = (turn.message, turn.moment)
    guard let memory, let persona,
      let completed = CompletedTurn(
        said: message, finished: true, conversation: "", number: turn.number, time: moment.seconds,
        today: today(at: moment)),
      let told = Self.extractor.onlyFact(of: completed), let kind = ToldLines.Kind(told),
      // Said again it deserves a better answer.
      let known = try? await memory.facts(at: moment.seconds), !known.contains(where: { $0.text == told.text })
    else { return nil }
    let source = FactSource(conversation: "", turn: turn.number, origin: .rule)
    let reply = ToldLines.standard.reply(
      kind, value: told.value, clause: Self.secondPerson.clause(Fact(told, from: source, at: moment.seconds)),
      temperament: persona.temperament, choice: choice, last: said.last)
    // It says again what a person wrote: no better words than a model may use.
    guard let reply, ReplyCheck.standard.verdict(on: reply.text) == .pass, !mayTellOfDanger(turn) else { return nil }
    return reply
  }

  func mayTellOfDanger(_ turn: PetTurn) -> Bool { turn.danger.mayTellOfDanger(profile: settings.safety) }

  func today(at moment: Moment) -> CivilDay { CivilDay(at: moment.seconds, offset: Int(moment.offset)) }

  /// The reply without what the pet cannot do just now.
  private func able(_ reply: Reply, _ manner: PetManner) -> Reply {
    var reply = reply
    reply.actions.removeAll { !manner.allows($0) }
    return reply
  }
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
