// SPDX-License-Identifier: Apache-2.0
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
  /// In turns: a small model loses sight of what is farther back. One that was trained on whole conversations is told once.
  private nonisolated var briefingDistance: Int { model.promptForm == .sentences ? .max : 3 }
  /// ``LivingPet/timesForgotten`` when the model was last told who it is; nil: it may have been told what was forgotten since.
  private var timesForgotten: Int?
  /// Of which each is a whole: who comes first goes first.
  private nonisolated let turns = TurnQueue()
  /// What the model reads in the place of words that were said to what was no danger.
  private static let neutralReply = Reply(text: "I see.", emotion: .content).written
  /// What stands in the place of a message that told what is forgotten.
  private static let redactedMessage = "(forgotten)"

  /// - Parameters:
  ///   - instructions: the system text, for a pet without a persona; one with a persona has its own.
  ///   - key: of the conversation, among those with this pet.
  /// - Throws: as ``LanguageModelSession/init(model:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: LivingPet, instructions: String? = nil, conversation key: ConversationKey = .unnamed
  ) throws {
    self.model = model
    self.pet = pet
    self.key = key
    session = try LanguageModelSession(model: model, instructions: instructions)
    dangers = pet.settings.mindsDanger ? model.dangerFlags(.standard) : [:]
  }

  /// Goes on with a conversation, perhaps on another model.
  /// - Parameters:
  ///   - instructions: in the place of those it had; nil: the same.
  ///   - key: as of ``init(_:pet:instructions:conversation:)``.
  /// - Throws: as ``LanguageModelSession/init(model:resuming:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: LivingPet, resuming state: SessionState, instructions: String? = nil,
    conversation key: ConversationKey = .unnamed
  ) throws {
    self.model = model
    self.pet = pet
    self.key = key
    session = try LanguageModelSession(model: model, resuming: state, instructions: instructions)
    dangers = pet.settings.mindsDanger ? model.dangerFlags(.standard) : [:]
  }

  /// A system text without a pet's life behind it. Danger is minded.
  /// - Throws: as ``LanguageModelSession/init(model:instructions:adapter:)``.
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
    if pet.settings.usesBank, model.speaksPromptFormat { AnswerPolicy.load() }
    pet.settings.letGoOfMemory()
    let brief = await pet.brief()
    try await tell(brief, reply: 0)
    _ = try model.outputGrammar(brief?.form ?? ReplyForm())
    try await session.prewarm()
  }

  /// Makes room for the next message, and reads all that is known of its prompt, while nobody waits. What goes is summed up: by the
  /// model itself where it was not trained to speak as a pet only.
  public func makeReady(_ options: GenerationOptions) async throws {
    try model.check(options)
    let forgotten = pet.timesForgotten
    await turns.begin()
    defer { turns.end() }
    try await tell(await pet.brief(), reply: options.maximumTokens)
    let going = try await session.turn { [self] draft in
      try await leftOut(before: MessageLimit.usual, options, isWaitedFor: false, in: draft)
    }
    if let going {
      await pet.leaveOut(going.lines, inWords: going.words, since: forgotten, in: key)
      try await tell(await pet.brief(), reply: options.maximumTokens)
    }
    pet.settings.letGoOfMemory()
    try await session.makeReady(message: MessageLimit.usual, reserve: options.maximumTokens)
  }

  /// Answers `message`. Cancelling the task stops the reply at the next token, with what there is.
  /// - Parameters:
  ///   - options: nil: those that suit pets and this model: a low temperature, its penalty of repetition, an end to loops.
  ///   - onText: receives the text sentence by sentence as it comes, each after it was judged, without the marks of emotion and
  ///     actions; at once, where written words may be said in its place.
  /// - Throws: as ``LanguageModelSession/respond(to:options:onText:)``; the conversation is then as before. Who tells of danger is
  ///   answered all the same, whatever the options are.
  public func respond(
    to message: String, options: GenerationOptions? = nil, onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> CompanionAnswer {
    try await respondKeeping(to: message, options ?? model.suitableOptions, waits: true, onText: onText).answer
  }

  /// As ``respond(to:options:onText:)``, and what to keep of the conversation as it is then, before another turn begins.
  /// - Parameter waits: for its turn, also when the task is cancelled meanwhile; else it is then not heard.
  /// - Throws: `CancellationError`, too.
  package func respondKeeping(
    to message: String, _ options: GenerationOptions, waits: Bool, onText: @escaping @Sendable (String) -> Void
  ) async throws -> (answer: CompanionAnswer, state: SessionState) {
    // While it waits, too, something may be forgotten.
    let forgotten = pet.timesForgotten
    if waits { await turns.begin() } else { try await turns.beginUnlessCancelled() }
    defer { turns.end() }
    let earlier = await session.turnCounts
    let answer = try await answer(
      message, options, since: forgotten, isOpening: earlier.seen == 0, onText: onText)
    return (answer, await session.state(after: earlier.all, isUnwritten: answer.isUnwritten))
  }

  private func answer(
    _ message: String, _ options: GenerationOptions, since forgotten: Int, isOpening: Bool,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> CompanionAnswer {
    let (decision, turn) = await pet.hear(
      message, in: key, since: forgotten, by: .init(isSimple: model.promptForm == .header, isWeak: model.trust != nil),
      isOpening: isOpening)
    var outcome: TurnOutcome
    do {
      switch decision {
      case .say(let words):
        if words.rung != .care { try model.check(options) }
        outcome = await say(words, to: message, options, takingBack: turn.takenBack, onText: onText)
        if let forgotten = turn.forgotten { outcome.answer.notices.append(.forgotten(forgotten)) }
        if words.rung == .care {
          (outcome.answer.safety, outcome.answer.danger) = (SafetyEvent(turn.stay), turn.stay.danger)
        }
      case .ask(let brief):
        try model.check(options)
        outcome = try await ask(message, options, brief, turn, onText: onText)
      }
    } catch {
      await pet.discard(turn)
      throw error
    }
    guard !outcome.answer.isDiscarded else {
      await pet.discard(turn)
      return outcome.answer
    }
    if outcome.answer.rung == .model { outcome.answer.model = model.identity }
    // Said in the place of a cheerful reply.
    if outcome.answer.rung == .care, outcome.answer.safety == nil {
      outcome.answer.safety = turn.watched.map { SafetyEvent($0, .stay) }
    }
    let (failure, reminder, isUnwritten) = await pet.finish(turn, outcome)
    outcome.answer.isUnwritten = isUnwritten
    // What was said was said; that it is not kept must be told.
    if let failure { outcome.answer.notices.append(.notKept("\(failure)")) }
    if let reminder { outcome.answer.notices.append(.reminder(reminder)) }
    return outcome.answer
  }

  /// Says what is written, at once, whatever else may fail.
  private func say(
    _ words: WrittenReply, to message: String, _ options: GenerationOptions, takingBack count: Int,
    onText: @escaping @Sendable (String) -> Void
  ) async -> TurnOutcome {
    let written = words.reply.written
    onText(words.reply.text)
    var outcome = TurnOutcome(words, .withoutModel(written))
    do {
      let cut = try await session.turn { [self] draft in
        try draft.rewordLast(count, as: Self.neutralReply)
        if let forgotten = words.forgets {
          try draft.redact(as: Self.redactedMessage, Self.neutralReply, where: forgotten.isIn)
        }
        let (read, cut) = try shortened(message, options, in: draft)
        try draft.commit(read, reply: written)
        return cut
      }
      if let cut { outcome.answer.notices.append(cut) }
      outcome.isWhole = cut == nil
    } catch {
      outcome.answer.notices.append(.notKept("\(error)"))
    }
    return outcome
  }

  /// Asks the model, having told it who it is now.
  private func ask(
    _ message: String, _ options: GenerationOptions, _ brief: Brief?, _ turn: PetTurn,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> TurnOutcome {
    let known = timesForgotten
    let (drafted, going) = try await session.turn { [self] draft in
      try draft.rewordLast(turn.takenBack, as: Self.neutralReply)
      var context = try describe(brief, knowing: known, reply: options.maximumTokens, in: &draft)
      let (read, cut) = try shortened(message, options, in: draft)
      let count = try model.tokenizer.encode(read).count + MessageLimit.joint
      let going = context == nil ? nil : try await leftOut(before: count, options, isWaitedFor: true, in: draft)
      if let going {
        var told = brief
        told?.summary = await pet.summary(
          leavingOut: going.lines, inWords: going.words, since: turn.timesForgotten, in: key)
        context = try describe(told, knowing: known, reply: options.maximumTokens, in: &draft)
      }
      var outcome = try await reply(to: read, options, brief, turn, in: &draft, onText: onText)
      if let context, outcome.answer.rung == .model {
        outcome.answer.context = try report(context, read, outcome.answer.generation, in: draft)
      }
      outcome.answer.memories = Array((brief?.memories ?? []).dropLast(context?.omitted.memories ?? 0))
      if let cut { outcome.answer.notices.append(cut) }
      return (outcome, going)
    }
    var outcome = drafted
    if !outcome.answer.isDiscarded {
      if let brief { timesForgotten = brief.timesForgotten }
      if let going { await pet.leaveOut(going.lines, inWords: going.words, since: turn.timesForgotten, in: key) }
    }
    let isStopped = [.cancelled, .deadline].contains(outcome.answer.generation.finishReason)
    outcome.isWhole = !outcome.answer.notices.contains(where: \.isOfShortening) && !isStopped
    return outcome
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
  private func tell(_ brief: Brief?, reply: Int) async throws {
    guard let brief else { return }
    let known = timesForgotten
    try await session.turn { [self] draft in
      _ = try describe(brief, knowing: known, reply: reply, in: &draft)
      draft.commitBriefing()
    }
    timesForgotten = brief.timesForgotten
  }

  /// Tells the model who it is now, behind the conversation, so that nothing is read again. Nil for a pet that is only a system text.
  /// - Parameter known: ``LivingPet/timesForgotten`` when it was last told.
  private nonisolated func describe(
    _ brief: Brief?, knowing known: Int?, reply: Int, in draft: inout TurnDraft
  ) throws -> Context? {
    guard let brief, let persona = pet.persona else { return nil }
    let builder = ContextBuilder(model, reply: reply)
    var (text, summary, omitted) = try builder.systemText(persona, brief)
    // One that came with a conversation stays until there is another, or something was forgotten.
    if summary != nil || known != nil || brief.timesForgotten > 0 { draft.summarize(summary) }
    // What it knows changes with every question; who it is does not.
    let instructions = Instructions(text.text(.memories, isLeftOut: true), adding: text.text(.memories))
    // Of what was forgotten nothing may stay.
    if brief.timesForgotten != known { try draft.replaceInstructions(instructions) }
    try draft.brief(instructions, again: briefingDistance)
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
    guard try await own.turn({ draft in try draft.roomForMessage(reserve: 64) }) > 64 else { return nil }
    var options = GenerationOptions.greedy(maximumTokens: 48)
    options.priority = .background
    let result = try await own.respond(to: question, options: options)
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

  /// Has the model write a reply, and commits what ``ReplyJudge`` makes of it; nothing, where the turn never was.
  private nonisolated func reply(
    to message: String, _ options: GenerationOptions, _ brief: Brief?, _ turn: PetTurn, in draft: inout TurnDraft,
    onText: @escaping @Sendable (String) -> Void
  ) async throws -> TurnOutcome {
    // A reply that somebody else holds to a form is the model's own, and not one to keep.
    let isFree = options.grammar == nil
    let terms = isFree ? brief?.terms ?? Brief.Terms() : Brief.Terms()
    var options = options
    if let flags = model.flagTokens(dangers, brief?.flag) { options.flags = flags }
    if options.grammar == nil { options.grammar = try model.outputGrammar(brief?.form ?? ReplyForm()) }
    options.sampling.temperature = options.sampling.temperature.scaled(by: brief?.temperatureFactor ?? 1)
    let key = terms.mayRepeat ? try predictionKey(message, options, brief, in: draft) : nil
    if let key, let known = pet.prediction(for: key), terms.held?.expectation?.isMet(by: known.reply) != false {
      try draft.commit(message, reply: known.reply.written, tokens: known.tokens)
      onText(known.reply.text)
      return TurnOutcome(WrittenReply(.kept, known.reply), .withoutModel(known.reply.written))
    }
    let isTold = options.likeliestTold != nil
    if terms.offered != nil, !isTold { options.likeliestTold = 0 }
    let output = Mutex(ReplyOutput(pet.persona))
    pet.settings.letGoOfMemory()
    defer { pet.settings.letGoOfMemory() }
    var generation = try await draft.generate(message, options) { [settings = pet.settings] piece in
      let (isFirst, text) = output.withLock { (!$0.hasBegun, $0.append(piece)) }
      // What read the prompt does not write the reply.
      if isFirst { settings.letGoOfMemory() }
      // Whose words are said is known at the end.
      if !terms.isHeld, !text.isEmpty { onText(text) }
    }
    let (rest, reply, refused) = output.withLock { $0.finish(isLoop: generation.finishReason == .loop) }
    let verdict = ReplyJudge.verdict(
      on: ReplyJudge.Draft(
        reply, refused: refused, danger: generation.flag.flatMap { dangers[$0] },
        isStopped: generation.finishReason == .cancelled, rightness: rightness(of: generation)),
      terms, choice: turn.choice)
    if !isTold { generation.probabilities = [] }
    switch verdict {
    case .discard: return TurnOutcome(.discarded(generation))
    case .mind(let danger): return await answer(to: danger, in: generation, turn, &draft, onText: onText)
    case .replace(let words):
      let outcome = try replaced(by: words, in: generation, to: message, &draft)
      onText(words.reply.text)
      return outcome
    case .refuse(let words, let reason):
      var outcome = try replaced(by: words, in: generation, to: message, &draft)
      outcome.refused = reason
      // What was shown of it was passed.
      let rest = String(words.reply.text.dropFirst(reply.text.count))
      if !rest.isEmpty { onText(rest) }
      return outcome
    case .keep:
      let last = terms.isHeld ? reply.text : rest
      if !last.isEmpty { onText(last) }
      // The model must not learn from itself to go round, nor to stop in the midst of its marks.
      if output.withLock({ $0.wasTrimmed }) || isFree && generation.finishReason == .cancelled && !reply.isWellFormed {
        (generation.text, generation.tokens) = (reply.written, [])
      }
      try draft.commit(message, reply: generation.text, tokens: generation.tokens)
      var outcome = TurnOutcome(WrittenReply(.model, reply), generation)
      if let key, generation.finishReason == .stop, !generation.tokens.isEmpty {
        outcome.kept = (Prediction(reply: reply, tokens: generation.tokens), key)
      }
      return outcome
    }
  }

  /// Says what is written for a danger that the model raised its flag for, whatever else may fail.
  private nonisolated func answer(
    to danger: Danger, in generation: GenerationResult, _ turn: PetTurn, _ draft: inout TurnDraft,
    onText: @Sendable (String) -> Void
  ) async -> TurnOutcome {
    let (reply, event) = await pet.answer(toFlagged: danger, turn)
    onText(reply.text)
    var outcome = TurnOutcome(WrittenReply(.care, reply), generation)
    outcome.answer.generation.text = reply.written
    (outcome.answer.danger, outcome.answer.safety) = (danger, event)
    do { try draft.commit(turn.message, reply: reply.written) } catch {
      outcome.answer.notices.append(.notKept("\(error)"))
    }
    return outcome
  }

  /// The model must not go on from what it was not allowed to say.
  private nonisolated func replaced(
    by words: WrittenReply, in generation: GenerationResult, to message: String, _ draft: inout TurnDraft
  ) throws -> TurnOutcome {
    try draft.commit(message, reply: words.reply.written)
    var generation = generation
    (generation.text, generation.tokens) = (words.reply.written, [])
    return TurnOutcome(words, generation)
  }

  /// How likely a reply is right, by how surprising it is to the model; nil: it is believed, as is what is there of one that was stopped.
  private nonisolated func rightness(of generation: GenerationResult) -> Double? {
    guard [.stop, .length, .loop].contains(generation.finishReason) else { return nil }
    return model.trust?.rightness(surprise: generation.surprise)
  }

  /// Nil where answers are not kept: an answer whose numbers were drawn at random would never be asked for again.
  private nonisolated func predictionKey(
    _ message: String, _ options: GenerationOptions, _ brief: Brief?, in draft: TurnDraft
  ) throws -> PredictionKey? {
    guard pet.keepsAnswers, options.isRepeatable, let persona = pet.persona else { return nil }
    let request = PredictionRequest(
      model: model.fingerprint, persona: persona.name, personaVersion: persona.version,
      promptFormat: model.promptForm?.rawValue ?? 0, ledger: try draft.promptTokens(for: message), message: message,
      allowedActions: brief?.form.actions ?? PetAction.allCases, options: PredictionOptions(options))
    return request.key
  }
}
