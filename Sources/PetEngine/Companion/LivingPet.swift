import PetCompanion
import PetLanguage
import PetMemory
import PetRuntime

/// A pet as it lives on while models come and go: who it is, how it fares, what it remembers, and what it says without a model.
///
/// A ``Companion`` asks it before the model, and tells it what was said.
public actor LivingPet {
  /// What is not the pet's own doing.
  public struct Settings: Sendable, Equatable {
    /// For whom it minds.
    public var safety = SafetyProfile.adult
    /// Where its person is, two letters (ISO 3166): whose telephone numbers it names. Nil: words that hold anywhere.
    public var region: String?
    /// False leaves every line to the model, also those that tell of danger.
    public var mindsDanger = true
    /// Whether hand-written replies answer what they fit.
    public var usesBank = true
    /// Whether what is only mapped goes again after each use: a little slower, for devices with little memory.
    public var savesMemory = false
    /// When it speaks first.
    public var initiative = InitiativeSettings()
    /// Any number; picks among answers that are equally good.
    public var choice: UInt64 = 0

    public init() {}
  }

  /// Most facts that a model is told at once; small ones lose sight of more.
  static let mostMemories = 4
  /// The person's lines and the pet's that count as lately said.
  static let recentLines = 8

  /// Nil for one that is only a system text.
  public nonisolated let persona: Persona?
  /// The short name under which hand-written replies and faces are kept; nil for pets that came later.
  public nonisolated let name: String?
  public let settings: Settings
  nonisolated let home: PetHome?
  nonisolated let memory: MemoryStore?
  nonisolated let now: @Sendable () -> Moment
  var record: PetRecord
  public internal(set) var shares = AnswerShares()
  var perception = Perception()
  /// What it was told from the start, as the models read it.
  let given: [String]
  var conversations: [ConversationKey: Conversation] = [:]
  var said: [String] = []
  var bankAnswers: [Int] = []
  /// The turn in which it last said back what the person wrote.
  var lastReflection: Int?
  var leftOut = ConversationSummary()
  /// How often something was mended or forgotten: of what a model was told before then, nothing may stay.
  var timesForgotten = 0
  /// What is learned and what is forgotten follow one another: nothing of a turn comes back behind its forgetting.
  nonisolated let changes = TurnQueue()
  /// Of all conversations, and what it said by itself.
  var turnCount = 0
  let detector = DangerDetector()
  /// Also of conversations that are written nowhere.
  public internal(set) var counters: SafetyCounters

  /// A pet that is forgotten when it goes.
  /// - Parameters:
  ///   - name: the short name of a built-in pet.
  ///   - state: as it is now.
  ///   - memories: what it knows of its person, as in "user's name is Ada".
  ///   - now: the clock.
  public init(
    _ persona: Persona?, name: String? = nil, state: PetState = PetState(), memories: [String] = [],
    _ settings: Settings = Settings(), now: @escaping @Sendable () -> Moment = Moment.current
  ) {
    self.persona = persona
    self.name = name
    self.settings = settings
    self.now = now
    given = memories
    home = nil
    // Where there is no room for it, it remembers nothing.
    memory = persona == nil ? nil : try? MemoryStore.inMemory()
    record = PetRecord(PetLife(state, seconds: now().seconds))
    counters = SafetyCounters()
  }

  /// A pet that lives in a folder.
  public init(
    _ persona: Persona, name: String?, home: PetHome, _ settings: Settings = Settings(),
    now: @escaping @Sendable () -> Moment = Moment.current
  ) {
    self.persona = persona
    self.name = name
    self.settings = settings
    self.now = now
    self.home = home
    memory = home.memory
    given = []
    record = home.record
    counters = home.record.counters
    // Reading the home has touched much of the program.
    settings.letGoOfMemory()
  }

  var drift: PetDrift { persona?.drift ?? .ordinary }

  /// How it fares now.
  public func state() -> PetState {
    record.life.advance(to: now(), drift: drift)
    return record.life.state
  }

  /// What is to be said to `message` without a model, or what the model is to be told first.
  /// - Parameters:
  ///   - key: of the conversation.
  ///   - forgotten: ``timesForgotten`` when the message came; it may have waited.
  ///   - isPetModel: whether the model is one of those that were trained as pets: short lines of English.
  ///   - isWeak: whether a written reply may be better than its own.
  ///   - isOpening: whether the conversation begins with the message.
  func hear(
    _ message: String, in key: ConversationKey, since forgotten: Int, isPetModel: Bool, isWeak: Bool, isOpening: Bool
  ) async -> (decision: PetDecision, turn: PetTurn) {
    // The model then has the room.
    defer { settings.letGoOfMemory() }
    let moment = now()
    let forgottenNow = timesForgotten
    record.life.meet(at: moment, drift: drift)
    record.initiative.hear(at: moment.seconds)
    turnCount += 1
    let heard = heard(in: key)
    var turn = PetTurn(
      message: message, conversation: key, heard: heard,
      danger: detector.reading(of: message, after: linesOfDanger(in: key)),
      moment: moment, number: turnCount, timesForgotten: forgotten)
    let safety = safety(in: key)
    // A conversation that goes on may hold what was told before.
    conversations[key, default: Conversation()].isBesideDanger = safety.isWatching
    if safety.isWatching { conversations[key]?.hasHeardOfDanger = true }
    if settings.mindsDanger, let reply = care(for: &turn) { return (.answer(reply, .rule), turn) }
    turn.calmed = (safety, self.safety(in: key))
    let manner = record.life.manner(at: moment)
    if settings.usesBank,
      let answer = await written(for: &turn, manner, isPetModel: isPetModel, isOpening: isOpening)
    {
      return (answer, turn)
    }
    guard let persona else { return (.ask(nil), turn) }
    // Who cannot look anything up can still talk.
    do { turn.told = try await recall(for: message, at: moment) } catch { turn.failure = error }
    var prompt = prompt(of: persona, manner, memories: knowledge(turn.told, at: moment), since: forgottenNow)
    if !isWatching(key) {
      prompt.flag = turn.danger.weightOfFlag(profile: settings.safety)
    }
    prompt.expectation = turn.expectation
    if isWeak { prompt.offer = offer(for: turn, manner, isOpening: isOpening) }
    return (.ask(prompt), turn)
  }

  /// What the model is to be told as things stand, before a message that asks for nothing it remembers; nil for a pet without a
  /// persona.
  func prompt() -> PetPrompt? {
    guard let persona else { return nil }
    let moment = now()
    record.life.advance(to: moment, drift: drift)
    return prompt(
      of: persona, record.life.manner(at: moment), memories: knowledge([], at: moment), since: timesForgotten)
  }

  private func prompt(of persona: Persona, _ manner: PetManner, memories: [String], since forgotten: Int) -> PetPrompt {
    let allowed = manner.allowedActions
    return PetPrompt(
      state: manner.state, memories: memories, summary: summary,
      form: ReplyForm(actions: persona.actions.filter(allowed.contains)),
      temperatureFactor: manner.temperatureFactor, timesForgotten: forgotten)
  }

  /// What must not be left to a model.
  private func care(for turn: inout PetTurn) -> Reply? {
    if let finding = turn.danger.finding(state: safety(in: turn.conversation), profile: settings.safety) {
      count(in: turn.conversation) { $0.count(finding) }
      // Behind danger, what is grave by the lines before it alone tells of nothing itself.
      turn.answered = isWatching(turn.conversation) && !mayTellOfDanger(turn) ? nil : finding.danger
      return answer(to: finding.danger, in: turn.conversation)
    }
    note(nil, in: turn.conversation)
    let honest = persona.flatMap {
      Honesty.standard.answer(to: turn.message, temperament: $0.temperament, choice: choice)
    }
    if honest != nil { count(in: turn.conversation) { $0.countDisclosure() } }
    return honest
  }

  /// What is written for a danger that a model raised its flag for.
  func answer(toFlagged danger: Danger, in key: ConversationKey) -> Reply {
    count(in: key) { $0.countFlag(danger) }
    return answer(to: danger, in: key)
  }

  /// What is written for a danger.
  private func answer(to danger: Danger, in key: ConversationKey) -> Reply {
    defer { note(danger, in: key) }
    conversations[key, default: Conversation()].hasHeardOfDanger = true
    // What was told long ago is not what this goes on from.
    let former = safety(in: key)
    let before = former.isWatching ? former.told[danger] ?? 0 : 0
    return DangerReplies.standard.reply(
      to: danger, before: before, choice: settings.choice, region: settings.region,
      isForMinors: settings.safety.isForMinors)
  }

  var choice: UInt64 { settings.choice &+ UInt64(turnCount) }

  /// Chooses what the model is told of the person: what is asked about. Small models bring in whatever else they are told.
  func recall(for message: String, at moment: Moment) async throws -> [Fact] {
    guard let memory else { return [] }
    return withoutDanger(
      try await memory.recall(
        for: message, count: Self.mostMemories, unasked: 0, today: today(at: moment), at: moment.seconds))
  }

  private func knowledge(_ told: [Fact], at moment: Moment) -> [String] {
    given + told.map(\.text) + [perception.line(at: moment.seconds)].compactMap(\.self)
  }

  /// Of the turns that the model no longer sees.
  package var summary: String? { leftOut.text }

  /// The model loses sight of these lines.
  /// - Parameters:
  ///   - words: what it says itself of the conversation so far.
  ///   - forgotten: ``timesForgotten`` before: of what was forgotten since nothing is summed up.
  package func leaveOut(
    _ lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey = .unnamed
  ) {
    leftOut = summary(adding: lines, inWords: words, since: forgotten, in: key)
  }

  /// What the model is to be told once it has lost sight of these lines.
  func summary(
    leavingOut lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey
  ) -> String? {
    summary(adding: lines, inWords: words, since: forgotten, in: key).text
  }

  private func summary(
    adding lines: [String], inWords words: String?, since forgotten: Int, in key: ConversationKey
  ) -> ConversationSummary {
    // Words of danger are kept nowhere.
    guard !isWatching(key), forgotten == timesForgotten else { return leftOut }
    var longer = leftOut
    longer.add(lines.filter { detector.finding(in: $0, profile: settings.safety) == nil }, inWords: words)
    return longer
  }

  /// What is said in the place of what a model wrote and must not say.
  /// - Parameter reply: what of it was shown.
  func replacement(of reply: Reply, for reason: ReplyCheck.Reason, in key: ConversationKey) -> Reply {
    count(in: key) { $0.count(reason) }
    guard reply.text.isEmpty else {
      return Reply(text: reply.text, emotion: reply.emotion ?? .content, actions: reply.actions, isWellFormed: true)
    }
    return ReplyCheck.standard.replacement(choice: choice)
  }

  /// Whether answers to the same request are kept.
  nonisolated var keepsAnswers: Bool { home?.predictions != nil && settings.usesBank }

  nonisolated func prediction(for key: PredictionKey) -> Prediction? {
    home?.predictions?.prediction(for: key, now: now().seconds)
  }

  /// Keeps an answer: not near words of danger, and not where something was forgotten meanwhile that the model may have
  /// been told.
  func keep(_ prediction: Prediction, for key: PredictionKey, of turn: PetTurn) {
    // Nothing is awaited in between: what is erased meanwhile must not come back.
    guard !isWatching(turn.conversation), turn.timesForgotten == timesForgotten else { return }
    home?.predictions?.put(prediction, for: key, now: now().seconds)
  }

  /// A turn came to its end. Where something was forgotten meanwhile, nothing of the turn is kept: it may speak of it.
  /// - Parameter isWhole: false where the message was cut or the reply stopped: nothing is learned from it.
  /// - Throws: `MemoryError`, `PetStateFileError`; the turn counts all the same.
  func finish(_ turn: PetTurn, _ reply: Reply, _ source: CompanionAnswer.Source, isWhole: Bool) async throws {
    await changes.begin()
    defer { changes.end() }
    shares.count(source)
    var failure = turn.failure
    do { try home?.save(record) } catch { failure = failure ?? error }
    if turn.timesForgotten == timesForgotten {
      conversations[turn.conversation, default: Conversation()].heard =
        (heard(in: turn.conversation) + [turn.message]).suffix(Self.recentLines)
      said = (said + [reply.text]).suffix(Self.recentLines)
      do { try await memory?.use(turn.told.map(\.id), at: turn.moment.seconds) } catch { failure = failure ?? error }
      do { try await learn(from: turn, isWhole: isWhole) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// A turn never was: its reply was stopped before any of it was shown, or failed. That the person is there, and how the pet fares,
  /// stays; what another turn has changed meanwhile, too.
  func discard(_ turn: PetTurn) {
    if let calmed = turn.calmed, safety(in: turn.conversation) == calmed.after {
      setSafety(calmed.before, in: turn.conversation)
    }
    if turnCount == turn.number { turnCount -= 1 }
  }

  private func learn(from turn: PetTurn, isWhole: Bool) async throws {
    // Words of danger, and those around them, are kept nowhere.
    guard let memory, !isWatching(turn.conversation), !mayTellOfDanger(turn) else { return }
    // "Tomorrow" is counted from when it was said.
    let completed = CompletedTurn(
      said: turn.message, finished: isWhole, conversation: home?.conversation ?? "", number: turn.number,
      time: turn.moment.seconds, today: today(at: turn.moment))
    if let completed { try await memory.learn(from: completed) }
  }
}

/// What belongs to one turn, from its message to its end: other conversations may be under way with the same pet.
struct PetTurn: Sendable {
  let message: String
  let conversation: ConversationKey
  /// The person's lines before it.
  let heard: [String]
  let danger: DangerReading
  /// That the words are written for.
  var answered: Danger?
  /// When it was heard.
  let moment: Moment
  let number: Int
  /// ``LivingPet/timesForgotten`` when the message came.
  let timesForgotten: Int
  /// What the model was told of its person for it.
  var told: [Fact] = []
  /// Whether it asks for something of the person alone that no fact tells.
  var isOfOneself = false
  var expectation: Expectation?
  /// What of the message can be said back.
  var restatement: String?
  /// What could not be looked up.
  var failure: (any Error)?
  /// How closely danger was minded before the message, and after it.
  var calmed: (before: SafetyState, after: SafetyState)?
}

/// What a pet makes of a message.
enum PetDecision: Sendable {
  case answer(Reply, CompanionAnswer.Source)
  /// Nil: the model has been told all it needs.
  case ask(PetPrompt?)
}

/// What a model is to be told, and held to, for the next reply.
struct PetPrompt: Sendable, Equatable {
  let state: PetState
  let memories: [String]
  /// Of turns that were left out.
  var summary: String?
  let form: ReplyForm
  let temperatureFactor: Float
  /// Before its memories were looked up.
  let timesForgotten: Int
  var offer: WrittenOffer?
  var expectation: Expectation?
  /// What the model's flag must be to count; nil: what its file says.
  var flag: FlagWeight?
}

/// A written reply that is said where the model's own is less likely right.
struct WrittenOffer: Sendable, Equatable {
  enum Origin: Sendable, Equatable {
    case exchange(Int)
    /// What the person wrote, said back.
    case reflection
    /// What it was told.
    case told
  }

  let reply: Reply
  let origin: Origin
  /// How likely it is right, from 0 to 1.
  let rightness: Double

  var source: CompanionAnswer.Source {
    if case .exchange = origin { .bank } else { .rule }
  }
}

/// How many answers came from where.
public struct AnswerShares: Sendable, Equatable, Codable {
  public private(set) var counts: [CompanionAnswer.Source: Int] = [:]

  mutating func count(_ source: CompanionAnswer.Source) { counts[source, default: 0] += 1 }
}
