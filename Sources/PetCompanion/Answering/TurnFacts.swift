// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// What is known of a line before it is answered. Each fact is worked out where a rung first asks for it, and once.
package final class TurnFacts {
  /// The line, and what was said before it.
  package struct Line: Sendable {
    package let message: String
    /// The person's lines before it, oldest first.
    package let heard: [String]
    /// Of them, those that asked for something: none of them tells it.
    package let asked: Set<String>
    package let danger: DangerReading
    /// How closely danger was minded before it.
    package let safety: SafetyState
    package let isOpening: Bool

    package init(
      _ message: String, after heard: [String], danger: DangerReading, safety: SafetyState, isOpening: Bool,
      asked: Set<String> = []
    ) {
      (self.message, self.heard, self.danger, self.safety) = (message, heard, danger, safety)
      (self.isOpening, self.asked) = (isOpening, asked)
    }
  }

  /// Who answers.
  package struct Pet: Sendable {
    /// Nil for one that is only a system text.
    package let persona: Persona?
    /// Short name, of a built-in pet.
    package let name: String?
    package let manner: PetManner
    /// What it was told from the start.
    package var given: [KnownFact] = []
    /// What it said lately.
    package var said: [String] = []
    /// Exchanges of the bank that it said lately.
    package var exchanges: [Int] = []
    /// Whether its last reply said the person's words back.
    package var hasReflected = false
    /// Any number; picks among answers that are equally good.
    package var choice: UInt64 = 0
    /// What is being played, or told.
    package var pastime: Pastime?
    /// Since 1970, where its person is.
    package var day = 0
    /// For how many whole days its person was away before this visit.
    package var daysAway = 0

    package init(_ persona: Persona?, name: String?, _ manner: PetManner) {
      (self.persona, self.name, self.manner) = (persona, name, manner)
    }
  }

  /// The model that would be asked.
  package struct Model: Sendable {
    /// Whether it was trained on short lines of English alone (``PromptForm/header``).
    package let isSimple: Bool
    /// Whether written words may be better than its own.
    package let isWeak: Bool

    package init(isSimple: Bool, isWeak: Bool) { (self.isSimple, self.isWeak) = (isSimple, isWeak) }
  }

  package let line: Line
  package let pet: Pet
  package let model: Model
  package let care: CareRung
  /// Nil where nothing is remembered, or not read yet.
  package var memory: (any LineMemory)?
  /// What the model is held to by a rung above.
  package internal(set) var held: WrittenReply?

  package init(_ line: Line, _ pet: Pet, _ model: Model, care: CareRung) {
    (self.line, self.pet, self.model, self.care) = (line, pet, model, care)
  }

  package var message: String { line.message }

  // MARK: Danger

  /// What becomes of the line, as far as danger goes.
  package private(set) lazy var stay = care.decide(line.danger, line.safety)
  /// Whether anything in it is near to danger, though it may be none.
  package private(set) lazy var isNearDanger = line.danger.mayTellOfDanger(profile: care.profile)
  /// How closely danger is minded behind it.
  package private(set) lazy var safety = care.safety(after: line.safety, stay)

  // MARK: What it wants, and how its person feels

  private(set) lazy var reading = IntentClassifier.standard.reading(of: message, after: line.heard)
  private(set) lazy var comprehension = ComprehensionRules.standard.judge(message)
  /// As ``LineReading/intent(isTold:)``, for a pet that knows what it knows.
  private(set) lazy var intent = reading.intent() == nil ? nil : reading.intent(isTold: isRecalled)
  /// Good news must be surer than plain words of bad ones.
  private(set) lazy var sentiment = SympathyLines.standard.plainSorrow(in: message) ?? reading.sentiment
  private(set) lazy var asksForJoke =
    FrequentReplies.standard.asksForJoke(message, pet: pet.name) || CommonKnowledge.standard.asksForJoke(message)
  /// A clause of it as it is said to the person, where it is no worse than what a model may say, and in the mood of the whole.
  private(set) lazy var restatement = ReflectionRung.restatement(of: self)

  // MARK: What it asks of memory

  private(set) lazy var recollection = memory?.recollection
  /// Whether the model is told anything of its person.
  private(set) lazy var isRecalled = memory?.isRecalled == true || !pet.given.isEmpty
  /// Which of what the pet was told answers it.
  private(set) lazy var told = ToldRung.finding(for: self)
  /// The person's lines that may tell what is asked for: of who asks for themself alone, those that tell of them.
  private(set) lazy var telling = line.heard.filter {
    !line.asked.contains($0) && (!isOfOneself || memory?.isOfOthers($0) != true)
  }

  private var isOfOneself: Bool {
    if case .unknown(_, _, isOfOneself: true) = recollection { true } else { false }
  }

  // MARK: How it is said

  /// The reply without what the pet cannot do just now.
  func able(_ reply: Reply) -> Reply {
    var reply = reply
    reply.actions.removeAll { !pet.manner.allows($0) }
    return reply
  }

  func written(_ rung: Rung, _ reply: Reply?) -> WrittenReply? { reply.map { WrittenReply(rung, able($0)) } }
}
