// SPDX-License-Identifier: Apache-2.0
import NIOCore
import PetAPI
import PetEngine
import Synchronization

/// A conversation with a pet that is here.
final class Session: Sendable {
  /// What a message was answered with.
  struct Answer: Sendable {
    /// Nil where it was answered before, and what was kept of it is of another form.
    let form: AnswerForm?
    let json: String
  }

  /// An answer that is being made.
  private struct UnderWay {
    let message: SHA256Hash
    let outcome: Broadcast<Result<Answer, any Error>>
    let task: Task<Void, Never>
  }

  /// What was answered, as far as it may be asked for again.
  private struct Answers {
    /// The conversation after the newest of them: those that are made at once may come here in any order.
    var state: SessionState?
    var written: WrittenConversation
    /// To messages that their senders gave a key.
    var underWay: [String: UnderWay] = [:]
    /// How often all was forgotten: of an answer that began before then nothing is kept.
    var timesForgotten = 0
  }

  /// So many messages with a key may wait for their answers.
  private static let mostUnderWay = 16

  let companion: LazyCompanion
  let resident: Resident
  let key: ConversationKey
  /// Nil for one that is gone with those who hold it.
  private let saved: SavedConversation?
  private let answers: Mutex<Answers>

  private let rest = Mutex<(@Sendable () async -> Void)?>(nil)

  var pet: LivingPet { resident.pet }

  /// What is done after each answer.
  func onRest(_ body: @escaping @Sendable () async -> Void) { rest.withLock { $0 = body } }

  /// - Parameter isKept: on disk too.
  /// - Throws: `PetHomeError.badName`, `PetHomeError.damaged`, `FileError`.
  init(_ resident: Resident, _ name: String, isKept: Bool = true, model: LazyModel<LanguageModel>) throws {
    self.resident = resident
    key = isKept ? .named(name) : .passing(.random(in: .min ... .max))
    saved = isKept ? try SavedConversation(name, of: resident.home) : nil
    let kept = try saved?.loadWithNotes()
    answers = Mutex(Answers(state: kept?.state, written: WrittenConversation(kept)))
    companion = LazyCompanion(model, pet: resident.pet, resuming: kept?.state, conversation: key) { model in
      var options = try GenerationOptions(
        sampling: .init(
          temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty,
          seed: .random(in: .min ... .max)),
        maximumTokens: 256, stopsAtLoop: true)
      options.isSeedRandom = true
      return options
    }
  }

  /// What is written nowhere ends with those who hold it.
  deinit {
    guard saved == nil else { return }
    Task { [pet = resident.pet, key] in try? await pet.end(key) }
  }

  /// What was said so far, without an answer that is under way; nil: nothing.
  var state: SessionState? { answers.withLock { $0.state } }

  /// Turns whose words are kept nowhere, and when the last was; nil: there are none.
  var unkept: UnkeptForm? { answers.withLock { UnkeptForm($0.written.notes) } }

  /// Answers a message. One with a key is answered once: who sends it again gets the same answer, also while it is
  /// being made. Whoever goes meanwhile, it is answered to its end.
  /// - Parameter onText: receives the reply piece by piece; nothing of one that another request began.
  /// - Throws: ``ServiceError``; `CancellationError` for who goes.
  func answer(
    _ message: String, key: String?, onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Answer {
    guard let key else { return try await respond(to: message, key: nil, onText) }
    let digest = SHA256Hash(of: Array(message.utf8))
    let outcomes: AsyncStream<Result<Answer, any Error>> = try answers.withLock { answers in
      let receipt = answers.written.notes.receipts.last { $0.key == key }
      let before = receipt?.digest ?? answers.underWay[key]?.message
      guard before == nil || before == digest else {
        throw ServiceError.invalid("Idempotency-Key", "another message was sent with this key")
      }
      if let receipt {
        guard let json = receipt.answer else { throw Self.answerNotKept }
        return AsyncStream {
          let kept = try? JSON.read(AnswerForm.self, ByteBuffer(string: json)).value
          $0.yield(.success(Answer(form: kept, json: json)))
          $0.finish()
        }
      }
      if let known = answers.underWay[key] { return known.outcome.stream() }
      guard answers.underWay.count < Self.mostUnderWay else {
        throw ServiceError(
          .tooManyRequests, "\(Self.mostUnderWay) messages with a key wait for their answers", code: "overloaded",
          retryAfter: 1)
      }
      let outcome = Broadcast<Result<Answer, any Error>>()
      let task = Task {
        let result: Result<Answer, any Error>
        do {
          result = .success(try await self.respond(to: message, key: (key, digest), onText))
        } catch {
          result = .failure(error)
        }
        self.answers.withLock { $0.underWay[key] = nil }
        outcome.send(result)
      }
      answers.underWay[key] = UnderWay(message: digest, outcome: outcome, task: task)
      return outcome.stream()
    }
    for await result in outcomes { return try result.get() }
    throw CancellationError()
  }

  private static let answerNotKept = ServiceError(
    .conflict,
    "that message was answered; words beside danger are kept nowhere, so that its answer cannot be given again",
    parameter: "Idempotency-Key", code: "answer_not_kept")

  /// Returns when the answers that are under way to messages with a key have ended, and are kept.
  func settle() async {
    for task in answers.withLock({ $0.underWay.values.map(\.task) }) { await task.value }
  }

  /// Answers that are under way to messages with a key end; they are kept nowhere, and can be asked for anew.
  func breakOff() {
    for task in answers.withLock({ $0.underWay.values.map(\.task) }) { task.cancel() }
  }

  /// It begins anew in memory, and of an answer that is under way nothing will be written.
  func reset() async {
    await companion.reset()
    // Afterwards: whoever goes on with the old conversation began under the old number.
    answers.withLock {
      ($0.state, $0.written, $0.timesForgotten) = (nil, .init(), $0.timesForgotten &+ 1)
    }
  }

  /// It begins anew, and nothing of it is left on disk.
  /// - Throws: `FileError`, `PetStateFileError`.
  func forget() async throws {
    await reset()
    if let saved { try answers.withLock { _ in try saved.erase() } }
    try await pet.end(key)
  }

  private func respond(
    to message: String, key receiptKey: (key: String, digest: SHA256Hash)?,
    _ onText: @escaping @Sendable (String) -> Void
  ) async throws -> Answer {
    let forgotten = answers.withLock { $0.timesForgotten }
    let (answer, state) = try await companion.respondKeeping(to: message, waits: false, onText: onText)
    // A piece of an answer is not what its key stands for.
    if receiptKey != nil { try Task.checkCancellation() }
    let degraded = DegradedForm(await companion.model.facts)
    var form = AnswerForm(TurnReport(answer, degraded: degraded), await pet.state())
    let isFirstUnwritten = answers.withLock { answers in
      guard answers.timesForgotten == forgotten else { return false }
      return answers.written.count(answer, at: Moment.current().seconds)
    }
    if isFirstUnwritten, saved != nil { form.turn.notices.append(.unkept) }
    var json = JSON.text(form)
    // The words that are written for a danger hold none of the person's.
    let isPassing = answer.isUnwritten && answer.danger == nil
    let receipt = receiptKey.map {
      SavedConversation.Receipt(key: $0.key, digest: $0.digest, answer: json, isPassing: isPassing)
    }
    do {
      try save(state, receipt, since: forgotten)
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

  private func save(_ state: SessionState, _ receipt: SavedConversation.Receipt?, since forgotten: Int) throws {
    try answers.withLock { answers in
      guard forgotten == answers.timesForgotten else { return }
      if let receipt { answers.written.notes.add(receipt) }
      if state.turns >= answers.state?.turns ?? 0 {
        answers.state = state
        answers.written.follow(state)
      }
      try saved?.save(answers.written)
    }
  }
}
