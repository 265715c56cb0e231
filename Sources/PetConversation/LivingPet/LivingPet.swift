// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import PetMemory
import Synchronization

/// A pet as it lives on while models come and go: who it is, how it fares, what it remembers, and what it says without a model.
///
/// A ``Companion`` asks it before the model, and tells it what was said.
public actor LivingPet {
  /// The person's lines and the pet's that count as lately said.
  static let recentLines = 8
  /// So many lines about something else leave a game where it is.
  static let linesBesideGame = 2

  /// Nil for one that is only a system text.
  public nonisolated let persona: Persona?
  /// The short name under which hand-written replies and faces are kept; nil for pets that came later.
  public nonisolated let name: String?
  public let settings: Settings
  nonisolated let home: PetHome?
  nonisolated let memory: MemoryStore?
  package nonisolated let now: @Sendable () -> Moment
  var record: PetRecord
  package internal(set) var shares = AnswerShares()
  var perception = Perception()
  /// What it was told from the start, as the models read it.
  let given: [KnownFact]
  var conversations: [ConversationKey: Conversation] = [:]
  var said: [String] = []
  var bankAnswers: [Int] = []
  /// The turn in which it last said back what the person wrote.
  var lastReflection: Int?
  var leftOut = ConversationSummary()
  nonisolated let forgettings = Atomic(0)
  /// What messages made it forget, the last at the end; it can be had back as long as the pet is here.
  var forgotten: [[Fact]] = []
  /// What is learned and what is forgotten follow one another: nothing of a turn comes back behind its forgetting.
  nonisolated let changes = TurnQueue()
  /// For how long its person was away before this visit, in seconds.
  var away: Int64 = 0
  /// Of all conversations, and what it said by itself.
  var turnCount = 0
  nonisolated let vectors = StatementVectors()
  nonisolated let detector = DangerDetector()
  /// Also of conversations that are written nowhere.
  package internal(set) var counters: SafetyCounters

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
    given = memories.map { KnownFact(text: $0, clause: Self.secondPerson.clause($0)) }
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

  /// How often something was mended or forgotten: of what a model was told before then, nothing may stay.
  nonisolated var timesForgotten: Int { forgettings.load(ordering: .sequentiallyConsistent) }

  /// How it fares now.
  public func state() -> PetState {
    record.life.advance(to: now(), drift: drift)
    return record.life.state
  }

  /// What is written for a danger that a model raised its flag for.
  func answer(toFlagged danger: Danger, _ turn: PetTurn) -> (reply: Reply, event: SafetyEvent?) {
    let key = turn.conversation
    // The turn was noted as one in which nothing was told.
    let state = safety(in: key)
    let decision = StayPolicy.decide(
      DangerFinding(turn.danger.kind(of: danger), .flag, likelihood: 0, danger: danger), state: state)
    let reply =
      care.reply(to: decision, turn.message, state, last: said.last)
      ?? DangerReplies.standard.check(choice: turn.choice)
    count(in: key) { $0.count(decision) }
    conversations[key, default: Conversation()].hasHeardOfDanger = true
    setSafety(care.safety(after: state, decision), in: key)
    return (reply, SafetyEvent(decision))
  }

  var care: CareRung {
    CareRung(
      settings.safety, region: settings.region, choice: settings.choice, isMinding: settings.mindsDanger)
  }

  nonisolated func today(at moment: Moment) -> CivilDay { CivilDay(at: moment.seconds, offset: Int(moment.offset)) }

  var choice: UInt64 { settings.choice &+ UInt64(turnCount) }

  /// Whether answers to the same request are kept.
  nonisolated var keepsAnswers: Bool { home?.predictions != nil }

  /// Nil where no answers are kept.
  package nonisolated var cacheStatistics: CacheStatistics? { home?.predictions?.statistics }

  nonisolated func prediction(for key: PredictionKey) -> Prediction? {
    home?.predictions?.prediction(for: key, now: now().seconds)
  }
}
