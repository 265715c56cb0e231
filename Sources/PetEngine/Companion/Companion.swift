import PetCompanion
import PetLanguage
import Synchronization

/// A pet to talk to: a conversation with a model, led by a ``LivingPet``, who answers in its place where that is safer or better.
public actor Companion {
  public nonisolated let model: LanguageModel
  public nonisolated let pet: LivingPet
  private nonisolated let key: ConversationKey
  private let session: LanguageModelSession
  /// By flag: the second net under the pet's own judgement. Empty for a model that was not taught to raise them.
  private nonisolated let dangers: [Int32: Danger]
  /// In turns: a small model loses sight of what is farther back.
  private static let briefingDistance = 3
  /// ``LivingPet/timesForgotten`` when the model was last told who it is; nil: it may have been told what was forgotten since.
  private var timesForgotten: Int?
  /// Of which each is a whole: who comes first goes first.
  private nonisolated let turns = TurnQueue()

  /// - Parameters:
  ///   - instructions: the system text, for a pet without a persona; one with a persona has its own.
  ///   - key: of the conversation, among those with this pet.
  /// - Throws: as ``LanguageModelSession/init(_:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: LivingPet, instructions: String? = nil, conversation key: ConversationKey = .unnamed
  ) throws {
    self.model = model
    self.pet = pet
    self.key = key
    session = try LanguageModelSession(model, instructions: instructions)
    dangers = pet.settings.mindsDanger ? model.dangerFlags(.standard) : [:]
  }

  /// Goes on with a conversation, perhaps on another model.
  /// - Parameters:
  ///   - instructions: in the place of those it had; nil: the same.
  ///   - key: as of ``init(_:pet:instructions:conversation:)``.
  /// - Throws: as ``LanguageModelSession/init(_:resuming:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: LivingPet, resuming state: SessionState, instructions: String? = nil,
    conversation key: ConversationKey = .unnamed
  ) throws {
    self.model = model
    self.pet = pet
    self.key = key
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
    try await tell(prompt, reply: 0)
    _ = try model.outputGrammar(prompt?.form ?? ReplyForm())
    try await session.prewarm()
  }

  /// Makes room for the next message, and reads all that is known of its prompt, while nobody waits. What goes is summed up: by the
  /// model itself where it was not trained to speak as a pet only.
  public func makeReady(_ options: GenerationOptions) async throws {
    let forgotten = await pet.timesForgotten
    await turns.begin()
    defer { turns.end() }
    try await tell(await pet.prompt(), reply: options.maximumTokens)
    let going = try await session.turn { [self] draft in
      try await leftOut(before: MessageLimit.usual, options, isWaitedFor: false, in: draft)
    }
    if let going {
      await pet.leaveOut(going.lines, inWords: going.words, since: forgotten, in: key)
      try await tell(await pet.prompt(), reply: options.maximumTokens)
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
    let earlier = await session.turnCount
    var answer = try await answer(message, options, since: forgotten, onText: onText)
    answer.isUnwritten = await pet.isUnwritten(message, answer, in: key)
    if answer.isUnwritten, await session.turnCount > earlier { await session.markUnwritten() }
    return (answer, await session.state())
  }

  private func answer(
    _ message: String, _ options: GenerationOptions, since forgotten: Int, onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    let (decision, turn) = await pet.hear(
      message, in: key, since: forgotten, isPetModel: model.speaksPromptFormat, isWeak: model.trust != nil,
      isOpening: await session.transcript.isEmpty)
    var answer: CompanionAnswer
    var isWhole: Bool
    switch decision {
    case .answer(let reply, let source):
      (answer, isWhole) = await say(reply, source, to: message, options, onText: onText)
      answer.danger = turn.answered
    case .ask(let prompt):
      do {
        (answer, isWhole) = try await ask(message, options, prompt, turn, since: forgotten, onText: onText)
      } catch {
        await pet.discard(turn)
        throw error
      }
    }
    guard !answer.isDiscarded else {
      await pet.discard(turn)
      return answer
    }
    if answer.source == .model { answer.model = model.identity }
    do {
      try await pet.finish(turn, answer.reply, answer.source, isWhole: isWhole)
    } catch {
      // What was said was said; that it is not kept must be told.
      answer.notices.append(.notKept("\(error)"))
    }
    if let reminder = await pet.reminder(in: key) { answer.notices.append(.reminder(reminder)) }
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
      let cut = try await session.turn { [self] draft in
        let (read, cut) = try shortened(message, options, in: draft)
        try draft.commit(read, reply: reply.written)
        return cut
      }
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
    let known = timesForgotten
    let (answer, going) = try await session.turn { [self] draft in
      var context = try describe(prompt, knowing: known, reply: options.maximumTokens, in: &draft)
      let (read, cut) = try shortened(message, options, in: draft)
      let count = try model.tokenizer.encode(read).count + MessageLimit.joint
      let going = context == nil ? nil : try await leftOut(before: count, options, isWaitedFor: true, in: draft)
      if let going {
        var told = prompt
        told?.summary = await pet.summary(
          leavingOut: going.lines, inWords: going.words, since: forgotten, in: key)
        context = try describe(told, knowing: known, reply: options.maximumTokens, in: &draft)
      }
      var answer = try await reply(to: read, options, prompt, turn, in: &draft, onText: onText)
      if let context, answer.source == .model {
        answer.context = try report(context, read, answer.generation, in: draft)
      }
      answer.memories = Array((prompt?.memories ?? []).dropLast(context?.omitted.memories ?? 0))
      if let cut { answer.notices.append(cut) }
      return (answer, going)
    }
    if !answer.isDiscarded {
      if let prompt { timesForgotten = prompt.timesForgotten }
      if let going { await pet.leaveOut(going.lines, inWords: going.words, since: forgotten, in: key) }
    }
    let isStopped = [.cancelled, .deadline].contains(answer.generation.finishReason)
    return (answer, !answer.notices.contains(where: \.isOfShortening) && !isStopped)
  }

  /// As much of a message as there is room for.
  private nonisolated func shortened(
    _ message: String, _ options: GenerationOptions, in draft: TurnDraft
  ) throws -> (text: String, notice: CompanionAnswer.Notice?) {
    let room = try draft.roomForMessage(reserve: options.maximumTokens)
    return try MessageLimit(contextLength: model.contextLength, room: room).apply(to: message, model.tokenizer)
  }

  private typealias Context = (builder: ContextBuilder, text: SystemText, omitted: ContextReport.Omitted)

  /// Tells the model who it is now, outside of any turn.
  private func tell(_ prompt: PetPrompt?, reply: Int) async throws {
    guard let prompt else { return }
    let known = timesForgotten
    try await session.turn { [self] draft in
      _ = try describe(prompt, knowing: known, reply: reply, in: &draft)
      draft.commitBriefing()
    }
    timesForgotten = prompt.timesForgotten
  }

  /// Tells the model who it is now, behind the conversation, so that nothing is read again. Nil for a pet that is only a system text.
  /// - Parameter known: ``LivingPet/timesForgotten`` when it was last told.
  private nonisolated func describe(
    _ prompt: PetPrompt?, knowing known: Int?, reply: Int, in draft: inout TurnDraft
  ) throws -> Context? {
    guard let prompt, let persona = pet.persona else { return nil }
    let builder = ContextBuilder(model, reply: reply)
    var (text, summary, omitted) = try builder.systemText(persona, prompt)
    // One that came with a conversation stays until there is another, or something was forgotten.
    if summary != nil || known != nil || prompt.timesForgotten > 0 { draft.summarize(summary) }
    // What it knows changes with every question; who it is does not.
    let instructions = Instructions(text.text(.memories, isLeftOut: true), adding: text.text(.memories))
    // Of what was forgotten nothing may stay.
    if prompt.timesForgotten != known { try draft.replaceInstructions(instructions) }
    try draft.brief(instructions, again: Self.briefingDistance)
    if let summary { text.append(.summary, summary) }
    return (builder, text, omitted)
  }

  /// Turns that the model loses sight of, and what it says itself of the conversation so far.
  private typealias LeftOut = (lines: [String], words: String?)

  /// What must go before a message of so many tokens; nil: nothing.
  private nonisolated func leftOut(
    before message: Int, _ options: GenerationOptions, isWaitedFor: Bool, in draft: TurnDraft
  ) async throws -> LeftOut? {
    let going = try draft.turnsToDrop(message: message, reserve: options.maximumTokens)
    guard !going.isEmpty else { return nil }
    let words = isWaitedFor || model.speaksPromptFormat ? nil : try await inFewWords(draft.fork())
    return (going.map(\.user), words)
  }

  /// What the model says of the conversation so far. It is asked behind it, so that nothing is read again.
  /// - Parameter own: a fork of the conversation.
  private nonisolated func inFewWords(_ own: LanguageModelSession) async throws -> String? {
    let question = "In one short sentence: what have we talked about so far?"
    guard try await own.roomForMessage(reserve: 64) > 64 else { return nil }
    var options = try GenerationOptions.greedy(maximumTokens: 48)
    options.priority = .background
    let result = try await own.respond(to: question, options) { _ in nil }
    guard result.finishReason == .stop, ReplyCheck.standard.verdict(on: result.text) == .pass else { return nil }
    return result.text
  }

  private nonisolated func report(
    _ context: Context, _ message: String, _ result: GenerationResult, in draft: TurnDraft
  ) throws -> ContextReport {
    let system = try context.builder.count(context.text)
    let alone = try draft.promptTokensAlone(for: message)
    let said = try model.tokenizer.encode(message).count
    var omitted = context.omitted
    omitted.turns = result.usage.droppedTurns
    return ContextReport(
      capacity: model.contextLength, system: system, turns: max(0, result.usage.promptTokens - alone), message: said,
      // What is said again behind the conversation is in both.
      frame: max(0, alone - system.values.reduce(said, +)), reply: context.builder.budget.reply, omitted: omitted)
  }

  /// Has the model write a reply, judges it, and commits what is said; nothing, where the reply was stopped before any of it was shown.
  private nonisolated func reply(
    to message: String, _ options: GenerationOptions, _ prompt: PetPrompt?, _ turn: PetTurn,
    in draft: inout TurnDraft, onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    // An answer that somebody else held to a form is not one to keep.
    let isFree = options.grammar == nil
    var options = options
    if let flags = model.flagTokens(dangers, prompt?.flag) { options.flags = flags }
    if options.grammar == nil { options.grammar = try model.outputGrammar(prompt?.form ?? ReplyForm()) }
    options.sampling.temperature = options.sampling.temperature.scaled(by: prompt?.temperatureFactor ?? 1)
    let key = isFree ? try predictionKey(message, options, prompt, in: draft) : nil
    if let key, let known = pet.prediction(for: key) {
      try draft.commit(message, reply: known.reply.written, tokens: known.tokens)
      onText(known.reply.text)
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
    var generation = try await draft.generate(message, options) { [settings = pet.settings] piece in
      let (isFirst, text) = output.withLock { (!$0.hasBegun, $0.append(piece)) }
      // What read the prompt does not write the reply.
      if isFirst { settings.letGoOfMemory() }
      // Whose words are said is known at the end.
      if !isHeld, !text.isEmpty { onText(text) }
    }
    if let danger = generation.flag.flatMap({ dangers[$0] }) {
      return await answer(to: danger, in: generation, of: message, &draft, onText: onText)
    }
    let isLoop = generation.finishReason == .loop
    let (rest, reply, refused) = output.withLock { $0.finish(isLoop: isLoop) }
    if generation.finishReason == .cancelled, isHeld || reply.text.isEmpty { return .discarded(generation) }
    if isHeld {
      let surprise = generation.surprise
      if !isTold { generation.probabilities = [] }
      let isMet = refused == nil && expectation?.isMet(by: reply) != false
      if let expectation, !isMet {
        if let offer, offer.reply == expectation.instead { await pet.hasSaid(offer, in: turn) }
        return try answer(saying: expectation.instead, .rule, in: generation, to: message, &draft, onText: onText)
      }
      if let offer, !isMet || isLessLikelyRight(generation, surprise, than: offer) {
        await pet.hasSaid(offer, in: turn)
        return try answer(saying: offer.reply, offer.source, in: generation, to: message, &draft, onText: onText)
      }
      if !reply.text.isEmpty { onText(reply.text) }
    } else if !rest.isEmpty {
      onText(rest)
    }
    guard let refused else {
      // The model must not learn from itself to go round, nor to stop in the midst of its marks.
      if output.withLock({ $0.wasTrimmed }) || isFree && generation.finishReason == .cancelled && !reply.isWellFormed {
        (generation.text, generation.tokens) = (reply.written, [])
      }
      try draft.commit(message, reply: generation.text, tokens: generation.tokens)
      if let key, generation.finishReason == .stop, !generation.tokens.isEmpty {
        await pet.keep(Prediction(reply: reply, tokens: generation.tokens), for: key, of: turn)
      }
      return CompanionAnswer(reply: reply, source: .model, generation: generation)
    }
    // The model must not go on from what it was not allowed to say.
    let allowed = await pet.replacement(of: reply, for: refused, in: self.key)
    (generation.text, generation.tokens) = (allowed.written, [])
    try draft.commit(message, reply: allowed.written)
    if reply.text.isEmpty { onText(allowed.text) }
    return CompanionAnswer(reply: allowed, source: reply.text.isEmpty ? .rule : .model, generation: generation)
  }

  /// Says what is written for a danger that the model raised its flag for, whatever else may fail.
  private nonisolated func answer(
    to danger: Danger, in generation: GenerationResult, of message: String, _ draft: inout TurnDraft,
    onText: @Sendable (String) -> Void
  ) async -> CompanionAnswer {
    let reply = await pet.answer(toFlagged: danger, in: key)
    onText(reply.text)
    var answer = CompanionAnswer(reply: reply, source: .rule, generation: generation)
    answer.generation.text = reply.written
    answer.danger = danger
    do { try draft.commit(message, reply: reply.written) } catch { answer.notices.append(.notKept("\(error)")) }
    return answer
  }

  /// Says what is written in the place of what the model wrote.
  private nonisolated func answer(
    saying reply: Reply, _ source: CompanionAnswer.Source, in generation: GenerationResult, to message: String,
    _ draft: inout TurnDraft, onText: @Sendable (String) -> Void
  ) throws -> CompanionAnswer {
    try draft.commit(message, reply: reply.written)
    onText(reply.text)
    var generation = generation
    (generation.text, generation.tokens) = (reply.written, [])
    return CompanionAnswer(reply: reply, source: source, generation: generation)
  }

  /// A reply that was stopped is what there is.
  private nonisolated func isLessLikelyRight(
    _ generation: GenerationResult, _ surprise: Double, than offer: WrittenOffer
  ) -> Bool {
    guard let trust = model.trust, [.stop, .length, .loop].contains(generation.finishReason) else { return false }
    return offer.rightness > trust.rightness(surprise: surprise) + ReplyBank.builtIn.policy.modelMargin
  }

  /// Nil where answers are not kept: an answer whose numbers were drawn at random would never be asked for again.
  private nonisolated func predictionKey(
    _ message: String, _ options: GenerationOptions, _ prompt: PetPrompt?, in draft: TurnDraft
  ) throws -> PredictionKey? {
    guard pet.keepsAnswers, options.isRepeatable, let persona = pet.persona else { return nil }
    let request = PredictionRequest(
      model: model.fingerprint, persona: persona.name, personaVersion: persona.version,
      ledger: try draft.promptTokens(for: message), message: message,
      allowedActions: prompt?.form.actions ?? PetAction.allCases, options: PredictionOptions(options))
    return request.key
  }
}
