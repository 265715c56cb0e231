// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import PetRuntime

/// A companion whose model comes and goes: when it is unloaded only the words and tokens of the conversation stay, and with the
/// next message it goes on, perhaps on another model.
package actor LazyCompanion {
  package typealias Options = @Sendable (LanguageModel) throws -> GenerationOptions

  package nonisolated let pet: LivingPet
  package nonisolated let model: LazyModel<LanguageModel>
  private let instructions: String?
  private let key: ConversationKey
  private let chooseOptions: Options
  private var awake: (companion: Companion, options: GenerationOptions)?
  /// What is kept of the conversation while the model is not loaded.
  private var asleep: SessionState?
  private var answering = 0
  private var turn: UInt64 = 0
  private var sleeper: Task<Void, Never>?

  /// - Parameters:
  ///   - instructions: the system text, for a pet without a persona.
  ///   - state: a conversation to go on with.
  ///   - key: of the conversation, among those with this pet.
  ///   - options: how replies are made, given the model; each turn draws other random numbers.
  package init(
    _ model: LazyModel<LanguageModel>, pet: LivingPet, instructions: String? = nil, resuming state: SessionState? = nil,
    conversation key: ConversationKey = .unnamed, options: @escaping Options
  ) {
    self.model = model
    self.pet = pet
    self.instructions = instructions
    self.key = key
    asleep = state
    chooseOptions = options
  }

  deinit { sleeper?.cancel() }

  /// Answers `message`, on the model that is then loaded: ``Companion/respondKeeping(to:_:waits:onText:)``.
  /// - Throws: as ``Companion/respond(to:options:onText:)`` and `LazyModel.use(isolation:_:)`.
  package func respondKeeping(
    to message: String, waits: Bool, onText: @escaping @Sendable (String) -> Void
  ) async throws -> (answer: CompanionAnswer, state: SessionState) {
    answering += 1
    let outcome: Result<(answer: CompanionAnswer, state: SessionState), any Error>
    do {
      outcome = .success(
        try await model.use { model in
          let (companion, chosen) = try await self.companion(of: model)
          return try await answer(message, companion, chosen, waits: waits, onText: onText)
        })
    } catch {
      outcome = .failure(error)
    }
    answering -= 1
    // It may have been told to go while it answered.
    if await !model.isLoaded { await fallAsleep() }
    return try outcome.get()
  }

  /// Every turn draws its own numbers, and the whole conversation still follows from one seed. A turn that never was counts for none.
  private func answer(
    _ message: String, _ companion: Companion, _ chosen: GenerationOptions, waits: Bool,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> (answer: CompanionAnswer, state: SessionState) {
    var options = chosen
    options.sampling.seed &+= turn
    turn += 1
    let number = turn
    var happened = false
    defer { if !happened, turn == number { turn -= 1 } }
    let outcome = try await companion.respondKeeping(to: message, options, waits: waits, onText: onText)
    happened = !outcome.answer.isDiscarded
    return outcome
  }

  /// Loads the model and reads what is known of the first prompt.
  package func prewarm() async throws { try await model.use { try await self.companion(of: $0).companion.prewarm() } }

  /// Loads the model, or says why it cannot be used.
  package func check() async throws { try await model.use { _ = try await self.companion(of: $0) } }

  /// See ``Companion/makeReady(_:)``. Does nothing where the model is not loaded.
  package func makeReady() async throws {
    defer { pet.settings.letGoOfMemory() }
    guard let awake else { return }
    try await awake.companion.makeReady(awake.options)
  }

  /// Keeps only the words and tokens of the conversation, unless a reply is under way: the next one reads it again.
  package func sleep() async { await fallAsleep() }

  /// What to keep of the conversation, after turns that are under way; nil where nothing was said.
  package func state() async -> SessionState? {
    if let awake { return await awake.companion.state() }
    return asleep
  }

  /// The conversation starts anew.
  package func reset() { (awake, asleep) = (nil, nil) }

  /// The one that speaks with this model; where another was loaded meanwhile the conversation moves over to it.
  private func companion(
    of model: LanguageModel
  ) async throws -> (companion: Companion, options: GenerationOptions) {
    while let awake {
      if awake.companion.model === model { return awake }
      await keepState(of: awake.companion) { true }
    }
    let options = try chooseOptions(model)
    let new =
      if let asleep {
        try Companion(model, pet: pet, resuming: asleep, instructions: instructions, conversation: key)
      } else {
        try Companion(model, pet: pet, instructions: instructions, conversation: key)
      }
    (awake, asleep) = ((new, options), nil)
    followUnloading()
    return (new, options)
  }

  /// Lets the model go whenever it is unloaded.
  private func followUnloading() {
    guard sleeper == nil else { return }
    sleeper = Task { [weak self, states = model.states] in
      for await state in states where state == .notLoaded { await self?.fallAsleep() }
    }
  }

  /// The model is gone: so must what holds it be.
  private func fallAsleep() async {
    guard let awake, answering == 0 else { return }
    await keepState(of: awake.companion) { answering == 0 }
  }

  private func keepState(of companion: Companion, if mayGo: () -> Bool) async {
    let state = await companion.state()
    // Another turn may have begun, or another companion come.
    guard awake?.companion === companion, mayGo() else { return }
    (asleep, awake) = (state, nil)
  }
}
