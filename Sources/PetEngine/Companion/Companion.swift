import Synchronization

/// A pet to talk to: a conversation with a model in which words that tell of danger get a hand-written answer.
///
/// Whether they do is the model's judgement: those of this project raise a flag (``PromptFormat/flags``), others cannot.
public actor Companion {
  public nonisolated let model: LanguageModel
  /// Whether danger is answered by hand-written words: false for a model that raises no flags.
  public nonisolated var mindsDanger: Bool { asksDanger && !dangers.isEmpty }
  private nonisolated let asksDanger: Bool
  private let instructions: String
  private let session: LanguageModelSession
  /// By flag.
  private nonisolated let dangers: [Int32: Danger]
  private let choice: UInt64
  private var form = ReplyForm()
  /// How many lines of each kind there were.
  private var told: [Danger: Int] = [:]

  /// - Parameters:
  ///   - instructions: the system text; ``PromptFormat`` makes one of a pet, its state and what it knows.
  ///   - mindsDanger: false leaves every line to the model.
  ///   - choice: any number; picks among answers that are equally good.
  /// - Throws: as ``LanguageModelSession/init(_:instructions:adapter:)``.
  public init(_ model: LanguageModel, instructions: String, mindsDanger: Bool = true, choice: UInt64 = 0) throws {
    self.model = model
    self.instructions = instructions
    self.choice = choice
    session = try LanguageModelSession(model, instructions: instructions)
    dangers = model.dangerFlags(.standard)
    asksDanger = mindsDanger
  }

  /// Goes on with a conversation, perhaps on another model.
  /// - Parameter instructions: in the place of those it had; nil: the same.
  /// - Throws: as ``LanguageModelSession/init(_:resuming:instructions:adapter:)``.
  public init(_ model: LanguageModel, resuming state: CompanionState, instructions: String? = nil) throws {
    self.model = model
    self.instructions = instructions ?? state.session.instructions ?? ""
    choice = state.choice
    told = state.told
    session = try LanguageModelSession(model, resuming: state.session, instructions: instructions)
    dangers = model.dangerFlags(.standard)
    asksDanger = state.mindsDanger
  }

  /// What to keep of the conversation when this companion goes, after a reply that is under way.
  public func state() async -> CompanionState {
    CompanionState(session: await session.state(), mindsDanger: asksDanger, choice: choice, told: told)
  }

  /// A pet in a state, with what it knows of the person.
  /// - Throws: as ``LanguageModelSession/init(_:instructions:adapter:)``.
  public init(
    _ model: LanguageModel, pet: PromptFormat.Pet, state: PetState = PetState(), memories: [String] = []
  ) throws {
    try self.init(model, instructions: model.instructions(for: pet, state, memories: memories))
  }

  /// What the pet may show and do from the next reply on.
  public func allow(_ form: ReplyForm) { self.form = form }

  /// Computes the system text, and what holds replies to their form, ahead of the first message.
  public func prewarm() async throws {
    _ = try model.outputGrammar(form)
    try await session.prewarm()
  }

  /// Answers `message`. Cancelling the task stops the reply at the next token, with what there is.
  /// - Parameter onText: receives the text piece by piece as it comes, without the marks of emotion and actions.
  /// - Throws: as ``LanguageModelSession/respond(to:_:onText:onFlag:)``; the conversation is then as before.
  public func respond(
    to message: String, _ options: GenerationOptions, onText: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> CompanionAnswer {
    var options = flagging(options)
    if options.grammar == nil { options.grammar = try model.outputGrammar(form) }
    let marks = Mutex(ReplyReader())
    let answers = dangers.mapValues { reply(to: $0) }
    let generation: GenerationResult
    do {
      generation = try await session.respond(to: message, options) { piece in
        onText(marks.withLock { $0.append(piece) })
      } onFlag: {
        answers[$0]?.written
      }
    } catch let error as LanguageModelError {
      // Who writes a farewell that does not fit is answered too; the conversation goes on without it.
      guard case .messageTooLong = error, mindsDanger else { throw error }
      generation = try await judge(end: message, options)
      guard generation.flag != nil else { throw error }
    }
    guard let flag = generation.flag, let danger = dangers[flag], let reply = answers[flag] else {
      let reply = marks.withLock { $0.finish() }
      return CompanionAnswer(reply: reply, source: .model, generation: generation)
    }
    told[danger, default: 0] += 1
    onText(reply.text)
    return CompanionAnswer(reply: reply, source: .rule, generation: generation)
  }

  private func flagging(_ options: GenerationOptions) -> GenerationOptions {
    guard !dangers.isEmpty, let threshold = model.flagThreshold else { return options }
    var options = options
    options.flags = FlagTokens(tokens: dangers.keys.sorted(), threshold: mindsDanger ? threshold : 1)
    return options
  }

  private func reply(to danger: Danger) -> Reply {
    DangerReplies.standard.reply(to: danger, before: told[danger] ?? 0, choice: choice)
  }

  /// What the model thinks of the last words of a message, apart from the conversation.
  private func judge(end message: String, _ options: GenerationOptions) async throws -> GenerationResult {
    var options = options
    options.maximumTokens = 1
    return try await LanguageModelSession(model, instructions: instructions)
      .respond(to: String(message.suffix(300)), options)
  }
}
