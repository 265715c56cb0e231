// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import PetMemory
import PetRuntime
import Synchronization

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
    /// Who may answer; ``Rung/required`` may in any case.
    public var rungs = Set(Rung.allCases)
    /// Whether what is only mapped goes again after each use: a little slower, for devices with little memory.
    public var savesMemory = false
    /// When it speaks first.
    public var initiative = InitiativeSettings()
    /// Any number; picks among answers that are equally good.
    public var choice: UInt64 = 0

    public init() {}

    /// Those that may answer.
    var open: Set<Rung> {
      var open = rungs.union(Rung.required)
      if !usesBank { open.formIntersection([.care, .honesty, .model, .replacement]) }
      if !mindsDanger { open.subtract([.care, .honesty]) }
      return open
    }
  }

  /// The person's lines and the pet's that count as lately said.
  static let recentLines = 8

  /// Nil for one that is only a system text.
  public nonisolated let persona: Persona?
  /// The short name under which hand-written replies and faces are kept; nil for pets that came later.
  public nonisolated let name: String?
  public let settings: Settings
  nonisolated let home: PetHome?
  nonisolated let memory: MemoryStore?
  package nonisolated let now: @Sendable () -> Moment
  var record: PetRecord
  public internal(set) var shares = AnswerShares()
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
  /// What is learned and what is forgotten follow one another: nothing of a turn comes back behind its forgetting.
  nonisolated let changes = TurnQueue()
  /// Of all conversations, and what it said by itself.
  var turnCount = 0
  nonisolated let detector = DangerDetector()
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
  func answer(toFlagged danger: Danger, in key: ConversationKey) -> Reply {
    count(in: key) { $0.countFlag(danger) }
    conversations[key, default: Conversation()].hasHeardOfDanger = true
    let reply = care.reply(to: danger, safety(in: key))
    note(danger, in: key)
    return reply
  }

  var care: CareRung {
    CareRung(
      settings.safety, region: settings.region, choice: settings.choice, isMinding: settings.mindsDanger)
  }

  nonisolated func today(at moment: Moment) -> CivilDay { CivilDay(at: moment.seconds, offset: Int(moment.offset)) }

  var choice: UInt64 { settings.choice &+ UInt64(turnCount) }

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

  /// Whether answers to the same request are kept.
  nonisolated var keepsAnswers: Bool { home?.predictions != nil }

  nonisolated func prediction(for key: PredictionKey) -> Prediction? {
    home?.predictions?.prediction(for: key, now: now().seconds)
  }

  /// A turn came to its end. Where something was forgotten meanwhile, nothing of the turn is kept: it may speak of it.
  /// - Returns: why not all of it is kept, `MemoryError` or `PetStateFileError`; and what the pet says behind it.
  func finish(_ turn: PetTurn, _ outcome: TurnOutcome) async -> (failure: (any Error)?, reminder: Reply?) {
    await changes.begin()
    defer { changes.end() }
    shares.count(outcome.answer.rung)
    if let reason = outcome.refused { count(in: turn.conversation) { $0.count(reason) } }
    var failure = turn.failure
    do { try home?.save(record) } catch { failure = failure ?? error }
    if turn.timesForgotten == timesForgotten {
      note(outcome, of: turn)
      if !turn.told.isEmpty {
        do { try await memory?.use(turn.told.map(\.id), at: turn.moment.seconds) } catch { failure = failure ?? error }
      }
      do { try await learn(from: turn, isWhole: outcome.isWhole) } catch { failure = failure ?? error }
    }
    return (failure, reminder(in: turn.conversation))
  }

  /// What was said, and the answer that is kept: not near words of danger.
  private func note(_ outcome: TurnOutcome, of turn: PetTurn) {
    let heard = heard(in: turn.conversation) + [turn.message]
    conversations[turn.conversation, default: Conversation()].heard = heard.suffix(Self.recentLines)
    said = (said + [outcome.answer.reply.text]).suffix(Self.recentLines)
    // No exchange's reply is said again soon.
    if let exchange = outcome.exchange { bankAnswers = (bankAnswers + [exchange]).suffix(Self.recentLines) }
    if outcome.isReflection { lastReflection = turn.number }
    if let (answer, key) = outcome.kept, !isWatching(turn.conversation) {
      home?.predictions?.put(answer, for: key, now: now().seconds)
    }
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
    guard let memory, !isWatching(turn.conversation), !turn.danger.mayTellOfDanger(profile: settings.safety)
    else { return }
    // "Tomorrow" is counted from when it was said.
    let completed = CompletedTurn(
      said: turn.message, finished: isWhole, conversation: home?.conversation ?? "", number: turn.number,
      time: turn.moment.seconds, today: today(at: turn.moment))
    if let completed { try await memory.learn(from: completed) }
  }
}

/// How many answers each rung gave.
public struct AnswerShares: Sendable, Equatable, Codable {
  public private(set) var counts: [Rung: Int] = [:]

  mutating func count(_ rung: Rung) { counts[rung, default: 0] += 1 }
}
