import PetCompanion
import PetLanguage
import Synchronization

/// A pet to talk to: a conversation with a model, led by a ``LivingPet``, who answers in its place where that is safer or better.
public actor Companion {
  public nonisolated let model: LanguageModel
  public nonisolated let pet: LivingPet
  private let session: LanguageModelSession
  /// By flag: the second net under the pet's own judgement. Empty for a model that was not taught to raise them.
  private nonisolated let dangers: [Int32: Danger]
  /// In turns: a small model loses sight of what is farther back.
  private static let briefingDistance = 3
  /// ``LivingPet/timesForgotten`` when the model was last told who it is; nil: it may have been told what was forgotten since.
  private var timesForgotten: Int?
  /// Of which each is a whole: who comes first goes first.
  private nonisolated let turns = TurnQueue()

  /// - Parameter instructions: the system text, for a pet without a persona; one with a persona has its own.
  /// - Throws: as ``LanguageModelSession/init(_:instructions:adapter:)``.
  public init(_ model: LanguageModel, pet: LivingPet, instructions: String? = nil) throws {
    self.model = model
    self.pet = pet
    session = try LanguageModelSession(model, instructions: instructions)
    dangers = pet.settings.mindsDanger ? model.dangerFlags(.standard) : [:]
  }

  /// Goes on with a conversation, perhaps on another model.
  /// - Parameter instructions: in the place of those it had; nil: the same.
  /// - Throws: as ``LanguageModelSession/init(_:resuming:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: LivingPet, resuming state: SessionState, instructions: String? = nil
  ) throws {
    self.model = model
    self.pet = pet
    session = try LanguageModelSession(model, resuming: state, instructions: instructions)
    dangers = pet.settings.mindsDanger ? model.dangerFlags(.standard) : [:]
  }

  /// A system text without a pet's life behind it. Danger is minded.
  /// - Throws: as ``LanguageModelSession/init(_:instructions:adapter:)``.
  public init(_ model: LanguageModel, instructions: String) throws {
    try self.init(model, pet: LivingPet(nil), instructions: instructions)
  }

  /// What to keep of the conversation when this companion goes, after turns that are under way.
  public func state() async -> SessionState {
    // In the midst of a turn there may stand what the pet will not have said.
    await turns.begin()
    defer { turns.end() }
    return await session.state()
  }

  /// The turns that the model still sees.
  public var transcript: [LanguageModelSession.Turn] { get async { await session.transcript } }

  /// Reads what is written, and computes the system text and what holds replies to their form, ahead of the first message.
  public func prewarm() async throws {
    await turns.begin()
    defer { turns.end() }
    if pet.settings.usesBank, model.speaksPromptFormat { LivingPet.readWrittenWords() }
    pet.settings.letGoOfMemory()
    let prompt = await pet.prompt()
    _ = try await describe(prompt, reply: 0)
    _ = try model.outputGrammar(prompt?.form ?? ReplyForm())
    try await session.prewarm()
  }

  /// Makes room for the next message, and reads all that is known of its prompt, while nobody waits. What goes is summed up: by the
  /// model itself where it was not trained to speak as a pet only.
  public func makeReady(_ options: GenerationOptions) async throws {
    let forgotten = await pet.timesForgotten
    await turns.begin()
    defer { turns.end() }
    _ = try await describe(await pet.prompt(), reply: options.maximumTokens)
    if try await leaveOut(before: MessageLimit.usual, options, isWaitedFor: false, since: forgotten) {
      _ = try await describe(await pet.prompt(), reply: options.maximumTokens)
    }
    pet.settings.letGoOfMemory()
    try await session.makeReady(message: MessageLimit.usual, reserve: options.maximumTokens)
  }

  /// Answers `message`. Cancelling the task stops the reply at the next token, with what there is.
  /// - Parameter onText: receives the text sentence by sentence as it comes, each after it was judged, without the marks of emotion
  ///   and actions; at once, where written words may be said in its place.
  /// - Throws: as ``LanguageModelSession/respond(to:_:onText:onFlag:)``; the conversation is then as before.
  public func respond(
    to message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> CompanionAnswer {
    try await respondKeeping(to: message, options, waits: true, onText: onText).answer
  }

  /// As ``respond(to:_:onText:)``, and what to keep of the conversation as it is then, before another turn begins.
  /// - Parameter waits: for its turn, also when the task is cancelled meanwhile; else it is then not heard.
  /// - Throws: `CancellationError`, too.
  package func respondKeeping(
    to message: String, _ options: GenerationOptions, waits: Bool, onText: @escaping @Sendable (String) -> Void
  ) async throws -> (answer: CompanionAnswer, state: SessionState) {
    // While it waits, too, something may be forgotten.
    let forgotten = await pet.timesForgotten
    if waits { await turns.begin() } else { try await turns.beginUnlessCancelled() }
    defer { turns.end() }
    let answer = try await answer(message, options, since: forgotten, onText: onText)
    return (answer, await session.state())
  }

  private func answer(
    _ message: String, _ options: GenerationOptions, since forgotten: Int, onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    let (decision, turn) = await pet.hear(
      message, since: forgotten, isPetModel: model.speaksPromptFormat, isWeak: model.trust != nil,
      isOpening: await session.transcript.isEmpty)
    var answer: CompanionAnswer
    var isWhole: Bool
    switch decision {
    case .answer(let reply, let source):
      (answer, isWhole) = await say(reply, source, to: message, options, onText: onText)
    case .ask(let prompt):
      (answer, isWhole) = try await ask(message, options, prompt, turn, since: forgotten, onText: onText)
    }
    do {
      try await pet.finish(turn, answer.reply, answer.source, isWhole: isWhole)
    } catch {
      // What was said was said; that it is not kept must be told.
      answer.notices.append(.notKept("\(error)"))
    }
    if let reminder = await pet.reminder() { answer.notices.append(.reminder(reminder)) }
    return answer
  }

  /// Says what is written, at once, whatever else may fail.
  /// - Returns: and whether the message was read whole.
  private func say(
    _ reply: Reply, _ source: CompanionAnswer.Source, to message: String, _ options: GenerationOptions,
    onText: @escaping @Sendable (String) -> Void
  ) async -> (CompanionAnswer, isWhole: Bool) {
    onText(reply.text)
    var answer = CompanionAnswer(reply: reply, source: source, generation: .withoutModel(reply.written))
    do {
      let (read, cut) = try await shortened(message, options)
      try await session.append(.init(user: read, reply: reply.written))
      if let cut { answer.notices.append(cut) }
      return (answer, cut == nil)
    } catch {
      answer.notices.append(.notKept("\(error)"))
      return (answer, true)
    }
  }

  /// Asks the model, having told it who it is now.
  /// - Returns: and whether the message was read and answered whole.
  private func ask(
    _ message: String, _ options: GenerationOptions, _ prompt: PetPrompt?, _ turn: PetTurn, since forgotten: Int,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> (CompanionAnswer, isWhole: Bool) {
    var context = try await describe(prompt, reply: options.maximumTokens)
    let (read, cut) = try await shortened(message, options)
    let count = try model.tokenizer.encode(read).count + MessageLimit.joint
    if context != nil, try await leaveOut(before: count, options, isWaitedFor: true, since: forgotten) {
      var told = prompt
      told?.summary = await pet.summary
      context = try await describe(told, reply: options.maximumTokens)
    }
    var answer = try await ask(read, options, prompt, turn, onText: onText)
    if let context, answer.source == .model { answer.context = try await report(context, read, answer.generation) }
    answer.memories = Array((prompt?.memories ?? []).dropLast(context?.omitted.memories ?? 0))
    if let cut { answer.notices.append(cut) }
    return (answer, cut == nil && ![.cancelled, .deadline].contains(answer.generation.finishReason))
  }

  /// As much of a message as there is room for.
  private func shortened(
    _ message: String, _ options: GenerationOptions
  ) async throws -> (text: String, notice: CompanionAnswer.Notice?) {
    let room = try await session.roomForMessage(reserve: options.maximumTokens)
    return try MessageLimit(contextLength: model.contextLength, room: room).apply(to: message, model.tokenizer)
  }

  private typealias Context = (builder: ContextBuilder, text: SystemText, omitted: ContextReport.Omitted)

  /// Tells the model who it is now, behind the conversation, so that nothing is read again. Nil for a pet that is only a system text.
  private func describe(_ prompt: PetPrompt?, reply: Int) async throws -> Context? {
    guard let prompt, let persona = pet.persona else { return nil }
    let builder = ContextBuilder(model, reply: reply)
    var (text, summary, omitted) = try builder.systemText(persona, prompt)
    // One that came with a conversation stays until there is another, or something was forgotten.
    if summary != nil || timesForgotten != nil || prompt.timesForgotten > 0 { await session.summarize(summary) }
    // What it knows changes with every question; who it is does not.
    let instructions = Instructions(text.text(.memories, isLeftOut: true), adding: text.text(.memories))
    if prompt.timesForgotten != timesForgotten {
      try await session.replaceInstructions(instructions)
      timesForgotten = prompt.timesForgotten
    }
    try await session.brief(instructions, again: Self.briefingDistance)
    if let summary { text.append(.summary, summary) }
    return (builder, text, omitted)
  }

  /// Tells the pet of the turns that must go before a message of so many tokens.
  /// - Parameter forgotten: as of ``LivingPet/leaveOut(_:inWords:since:)``.
  /// - Returns: whether there are any.
  private func leaveOut(
    before message: Int, _ options: GenerationOptions, isWaitedFor: Bool, since forgotten: Int
  ) async throws -> Bool {
    let going = try await session.turnsToDrop(message: message, reserve: options.maximumTokens)
    guard !going.isEmpty else { return false }
    let words = isWaitedFor || model.speaksPromptFormat ? nil : try await inFewWords()
    await pet.leaveOut(going.map(\.user), inWords: words, since: forgotten)
    return true
  }

  /// What the model says of the conversation so far. It is asked behind it, so that nothing is read again, in a conversation of its
  /// own.
  private func inFewWords() async throws -> String? {
    let question = "In one short sentence: what have we talked about so far?"
    let own = await session.fork()
    guard try await own.roomForMessage(reserve: 64) > 64 else { return nil }
    let options = try GenerationOptions.greedy(maximumTokens: 48)
    let result = try await own.respond(to: question, options) { _ in nil }
    guard result.finishReason == .stop, ReplyCheck.standard.verdict(on: result.text) == .pass else { return nil }
    return result.text
  }

  private func report(_ context: Context, _ message: String, _ result: GenerationResult) async throws -> ContextReport {
    let system = try context.builder.count(context.text)
    let alone = try await session.promptTokensAlone(for: message)
    let said = try model.tokenizer.encode(message).count
    var omitted = context.omitted
    omitted.turns = result.usage.droppedTurns
    return ContextReport(
      capacity: model.contextLength, system: system, turns: max(0, result.usage.promptTokens - alone), message: said,
      // What is said again behind the conversation is in both.
      frame: max(0, alone - system.values.reduce(said, +)), reply: context.builder.budget.reply, omitted: omitted)
  }

  private func ask(
    _ message: String, _ options: GenerationOptions, _ prompt: PetPrompt?, _ turn: PetTurn,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    // An answer that somebody else held to a form is not one to keep.
    let isFree = options.grammar == nil
    var options = options
    if let flags = model.flagTokens(dangers, prompt?.flag) { options.flags = flags }
    if options.grammar == nil { options.grammar = try model.outputGrammar(prompt?.form ?? ReplyForm()) }
    options.sampling.temperature = options.sampling.temperature.scaled(by: prompt?.temperatureFactor ?? 1)
    let key = isFree ? try await predictionKey(message, options, prompt) : nil
    if let key, let known = pet.prediction(for: key) {
      onText(known.reply.text)
      try await session.append(.init(user: message, reply: known.reply.written), tokens: known.tokens)
      return CompanionAnswer(reply: known.reply, source: .cache, generation: .withoutModel(known.reply.written))
    }
    let offer = isFree ? prompt?.offer : nil
    let expectation = isFree ? prompt?.expectation : nil
    let isHeld = offer != nil || expectation != nil
    let isTold = options.likeliestTold != nil
    if offer != nil, !isTold { options.likeliestTold = 0 }
    let output = Mutex(ReplyOutput(pet.persona))
    pet.settings.letGoOfMemory()
    defer { pet.settings.letGoOfMemory() }
    var generation = try await session.respond(to: message, options) { [settings = pet.settings] piece in
      let (isFirst, text) = output.withLock { (!$0.hasBegun, $0.append(piece)) }
      // What read the prompt does not write the reply.
      if isFirst { settings.letGoOfMemory() }
      // Whose words are said is known at the end.
      if !isHeld, !text.isEmpty { onText(text) }
    }
    if let danger = generation.flag.flatMap({ dangers[$0] }) {
      let reply = await pet.answer(toFlagged: danger)
      try await session.append(.init(user: message, reply: reply.written))
      onText(reply.text)
      generation.text = reply.written
      return CompanionAnswer(reply: reply, source: .rule, generation: generation)
    }
    let isLoop = generation.finishReason == .loop
    let (rest, reply, refused) = output.withLock { $0.finish(isLoop: isLoop) }
    if isHeld {
      let surprise = generation.surprise
      if !isTold { generation.probabilities = [] }
      let isMet = refused == nil && expectation?.isMet(by: reply) != false
      if let expectation, !isMet {
        if let offer, offer.reply == expectation.instead { await pet.hasSaid(offer, in: turn) }
        return try await answer(saying: expectation.instead, .rule, in: generation, onText: onText)
      }
      if let offer, !isMet || isLessLikelyRight(generation, surprise, than: offer) {
        await pet.hasSaid(offer, in: turn)
        return try await answer(saying: offer.reply, offer.source, in: generation, onText: onText)
      }
      if !reply.text.isEmpty { onText(reply.text) }
    } else if !rest.isEmpty {
      onText(rest)
    }
    guard let refused else {
      if output.withLock({ $0.wasTrimmed }) {
        // The model must not learn from itself to go round.
        (generation.text, generation.tokens) = (reply.written, [])
        try await session.replaceLastReply(with: reply.written)
      } else if let key, generation.finishReason == .stop {
        await pet.keep(Prediction(reply: reply, tokens: generation.tokens), for: key, of: turn)
      }
      return CompanionAnswer(reply: reply, source: .model, generation: generation)
    }
    // The model must not go on from what it was not allowed to say.
    let allowed = await pet.replacement(of: reply, for: refused)
    (generation.text, generation.tokens) = (allowed.written, [])
    try await session.replaceLastReply(with: allowed.written)
    if reply.text.isEmpty { onText(allowed.text) }
    return CompanionAnswer(reply: allowed, source: reply.text.isEmpty ? .rule : .model, generation: generation)
  }

  /// Says what is written in the place of what the model wrote.
  private func answer(
    saying reply: Reply, _ source: CompanionAnswer.Source, in generation: GenerationResult,
    onText: @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    try await session.replaceLastReply(with: reply.written)
    onText(reply.text)
    var generation = generation
    (generation.text, generation.tokens) = (reply.written, [])
    return CompanionAnswer(reply: reply, source: source, generation: generation)
  }

  /// A reply that was stopped is what there is.
  private func isLessLikelyRight(_ generation: GenerationResult, _ surprise: Double, than offer: WrittenOffer) -> Bool {
    guard let trust = model.trust, [.stop, .length, .loop].contains(generation.finishReason) else { return false }
    return offer.rightness > trust.rightness(surprise: surprise) + ReplyBank.builtIn.policy.modelMargin
  }

  /// Nil where answers are not kept.
  private func predictionKey(
    _ message: String, _ options: GenerationOptions, _ prompt: PetPrompt?
  ) async throws -> PredictionKey? {
    guard pet.keepsAnswers, let persona = pet.persona else { return nil }
    let request = PredictionRequest(
      model: model.fingerprint, persona: persona.name, personaVersion: persona.version,
      ledger: try await session.promptTokens(for: message), message: message,
      allowedActions: prompt?.form.actions ?? PetAction.allCases, options: PredictionOptions(options))
    return request.key
  }
}
