import PetEngine
import Synchronization

/// A conversation with a pet that is here.
final class Session: Sendable {
  /// What a message was answered with.
  struct Answer: Sendable {
    /// Nil where it was answered before, and only its text is left.
    let form: AnswerForm?
    let json: String
  }

  /// Answers to messages that their senders gave a key.
  private struct Keyed {
    var last: SavedConversation.Receipt?
    var underWay: [String: (message: String, task: Task<Answer, any Error>)] = [:]
  }

  let companion: LazyCompanion
  let resident: Resident
  /// Nil for one that is gone with those who hold it.
  private let saved: SavedConversation?
  private let keyed: Mutex<Keyed>

  private let rest = Mutex<(@Sendable () async -> Void)?>(nil)

  var pet: LivingPet { resident.pet }

  /// What is done after each answer.
  func onRest(_ body: @escaping @Sendable () async -> Void) { rest.withLock { $0 = body } }

  /// - Parameter isKept: on disk too.
  /// - Throws: `PetHomeError.badName`, `PetHomeError.damaged`, `FileError`.
  init(_ resident: Resident, _ name: String, isKept: Bool = true, model: LazyModel<LanguageModel>) throws {
    self.resident = resident
    saved = isKept ? try SavedConversation(name, of: resident.home) : nil
    let kept = try saved?.loadWithReceipt()
    keyed = Mutex(Keyed(last: kept?.receipt))
    companion = LazyCompanion(model, pet: resident.pet, resuming: kept?.state) { model in
      try GenerationOptions(
        sampling: .init(
          temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty,
          seed: .random(in: .min ... .max)),
        maximumTokens: 256, stopsAtLoop: true)
    }
  }

  /// What was said so far; nil: nothing.
  var state: SessionState? { get async { await companion.state() } }

  /// Answers a message. One with a key is answered once: who sends it again gets the same answer, also while it is being
  /// made, and whoever goes meanwhile, it is answered to its end.
  /// - Parameter onText: receives the reply piece by piece; nothing of one that another request began.
  func answer(
    _ message: String, key: String?, onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Answer {
    guard let key else { return try await respond(to: message, key: nil, onText) }
    let task: Task<Answer, any Error> = try keyed.withLock { keyed in
      let before = keyed.last?.key == key ? keyed.last?.message : keyed.underWay[key]?.message
      guard before == nil || before == message else {
        throw ServiceError.invalid("Idempotency-Key", "another message was sent with this key")
      }
      if let last = keyed.last, last.key == key { return Task { Answer(form: nil, json: last.answer) } }
      if let known = keyed.underWay[key] { return known.task }
      let task = Task {
        defer { self.keyed.withLock { $0.underWay[key] = nil } }
        return try await self.respond(to: message, key: key, onText)
      }
      keyed.underWay[key] = (message, task)
      return task
    }
    return try await task.value
  }

  /// It begins anew, and nothing of it is left on disk.
  /// - Throws: `FileError`.
  func forget() async throws {
    await companion.reset()
    keyed.withLock { $0.last = nil }
    try saved?.erase()
  }

  private func respond(
    to message: String, key: String?, _ onText: @escaping @Sendable (String) -> Void
  ) async throws -> Answer {
    let answer = try await companion.respond(to: message, onText: onText)
    var form = AnswerForm(TurnReport(answer), await pet.state())
    var json = JSON.text(form)
    do {
      try await save(key.map { .init(key: $0, message: message, answer: json) })
    } catch {
      // What was said was said; that it is not kept must be told.
      form.turn.notices.append(.notKept("\(error)"))
      json = JSON.text(form)
    }
    Task(priority: .utility) { [companion, rest = rest.withLock { $0 }] in
      await rest?()
      try? await companion.makeReady()
    }
    return Answer(form: form, json: json)
  }

  private func save(_ receipt: SavedConversation.Receipt?) async throws {
    keyed.withLock { $0.last = receipt }
    guard let saved, await pet.mayKeepConversation, let state = await companion.state() else { return }
    try saved.save(state, receipt)
  }
}
