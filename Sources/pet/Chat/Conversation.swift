import ArgumentParser
import PetEngine

/// A conversation in the terminal: lines in, replies out.
actor Conversation {
  enum Format { case text, json }

  private let model: LazyModel<LanguageModel>
  private let persona: Persona
  private let mindsDanger: Bool
  private let format: Format
  private let chooseOptions: @Sendable (LanguageModel) throws -> GenerationOptions
  private var options: GenerationOptions?
  private var companion: Companion?
  /// What is kept of the conversation while the model is not loaded.
  private var asleep: CompanionState?
  private var isAnswering = false
  private var last: GenerationResult?
  private var turn: UInt64 = 0

  /// - Parameter options: how replies are made, given the model.
  init(
    model: LazyModel<LanguageModel>, persona: Persona, mindsDanger: Bool, output: Format,
    options: @escaping @Sendable (LanguageModel) throws -> GenerationOptions
  ) {
    self.model = model
    self.persona = persona
    self.mindsDanger = mindsDanger
    format = output
    chooseOptions = options
  }

  /// With a person at a terminal: commands, and errors that end a turn but not the conversation. The model loads, and reads
  /// who it is, while the person types.
  func converse(with editor: LineEditor) async throws {
    let warmUp = Task { try await model.use { try await self.companion(of: $0).companion.prewarm() } }
    let sleeper = sleeper()
    defer {
      warmUp.cancel()
      sleeper.cancel()
    }
    while let line = try await editor.readLine(prompt: "> ") {
      switch SlashCommand.read(line) {
      case .empty: continue
      case .unknown(let name): Output.standard.writeLine("\(name): no such command; /help lists them")
      case .command(.quit): return
      case .command(let command): try await carryOut(command)
      case .message(let text):
        // With a model that cannot be used there is no conversation.
        try await model.use { _ = try await companion(of: $0) }
        do {
          try await answer(text)
        } catch let error as any UserFacingError {
          Output.error.writeLine("pet: \(error)")
        }
      }
    }
  }

  /// From a file or a pipe: every line is a turn. A turn that fails is reported and the next one answered; the program
  /// then ends with the failure's status.
  func answerLines(from editor: LineEditor) async throws {
    let sleeper = sleeper()
    defer { sleeper.cancel() }
    try await model.load()
    var status: ExitStatus?
    while let line = try await editor.readLine(prompt: "") {
      guard !line.allSatisfy(\.isWhitespace) else { continue }
      do {
        try await answer(line)
      } catch let error as any UserFacingError {
        // Now, not at the end: whoever writes a line and waits for its answer must not wait for ever.
        Output.error.writeLine("pet: \(error)")
        if format == .json { try JSONOutput.write(["error": "\(error)"], isPretty: false) }
        status = error.exitStatus
      }
    }
    if let status { throw ExitCode(status.rawValue) }
  }

  /// The one that speaks with this model; where another model was loaded meanwhile the conversation moves over to it.
  private func companion(of model: LanguageModel) async throws -> (companion: Companion, options: GenerationOptions) {
    while let companion {
      if companion.model === model, let options { return (companion, options) }
      await keepState(of: companion) { true }
    }
    let options = try chooseOptions(model)
    let instructions = persona.instructions(for: model)
    let new =
      if let asleep {
        try Companion(model, resuming: asleep, instructions: instructions)
      } else {
        try Companion(
          model, instructions: instructions, mindsDanger: mindsDanger, choice: options.sampling.seed)
      }
    (companion, asleep, self.options) = (new, nil, options)
    return (new, options)
  }

  /// Lets the model go whenever it is unloaded.
  private func sleeper() -> Task<Void, Never> {
    Task { for await state in model.states where state == .notLoaded { await self.fallAsleep() } }
  }

  /// The model is gone: so must what holds it be.
  private func fallAsleep() async {
    guard let companion, !isAnswering else { return }
    await keepState(of: companion) { !isAnswering }
  }

  private func keepState(of companion: Companion, if mayGo: () -> Bool) async {
    let state = await companion.state()
    // Another turn may have begun, or another companion come.
    guard self.companion === companion, mayGo() else { return }
    (asleep, self.companion) = (state, nil)
  }

  private func answer(_ text: String) async throws {
    isAnswering = true
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await model.use { try await answer(text, with: $0) })
    } catch {
      outcome = .failure(error)
    }
    isAnswering = false
    // It may have been told to go while it answered.
    if await !model.isLoaded { await fallAsleep() }
    try outcome.get()
  }

  private func answer(_ text: String, with model: LanguageModel) async throws {
    let (companion, chosen) = try await companion(of: model)
    var options = chosen
    // Every turn draws its own numbers, and the whole conversation still follows from one seed.
    options.sampling.seed &+= turn
    turn += 1
    let format = format
    let answer = try await SignalMonitor.shared.cancellingOnInterrupt { [options] in
      try await companion.respond(to: text, options) { piece in
        if format == .text { Output.standard.write(Output.standard.safe(piece)) }
      }
    }
    last = answer.generation
    switch format {
    case .json: try JSONOutput.write(TurnReport(answer), isPretty: false)
    case .text:
      Output.standard.writeLine(Output.standard.isTerminal ? Self.gesture(answer.reply) : "")
      if let note = Self.note(answer.generation) { Output.error.writeLine(note) }
    }
  }

  /// " (sleepy, yawns)" in short: what the pet shows beside its words.
  private static func gesture(_ reply: Reply) -> String {
    let words = [reply.emotion?.rawValue].compactMap { $0 } + reply.actions.map(\.rawValue)
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ").replacing("_", with: " ")))"
  }

  private static func note(_ result: GenerationResult) -> String? {
    switch result.finishReason {
    case .stop, .cancelled, .flag: nil
    case .length: "(cut off at \(result.tokens.count) tokens; --max-tokens allows more)"
    case .loop: "(cut off: it began to repeat itself)"
    case .context: "(cut off: the context is full)"
    case .deadline: "(cut off: the time is up)"
    }
  }

  private func carryOut(_ command: SlashCommand) async throws {
    switch command {
    case .help: Output.standard.write(SlashCommand.overview)
    case .model: Output.standard.write(try await model.use(Self.facts))
    case .stats: Output.standard.write(last.map(Self.statistics) ?? "nothing was said yet\n")
    case .reset:
      (companion, asleep, last) = (nil, nil, nil)
      Output.standard.writeLine("the conversation starts anew")
    case .quit: break
    }
  }

  private static func facts(_ model: LanguageModel) -> String {
    let shape = model.configuration
    return FactLines.text([
      ("model", shape.name ?? model.path), ("file", model.path),
      ("size", "\(ByteCount.text(UInt64(model.weightBytes))), \(shape.layerCount) layers, \(shape.architecture)"),
      ("context", "\(model.contextLength) tokens"),
      ("runs on", "\(model.threadCount) threads, \(model.kernelName) kernels"),
    ])
  }

  private static func statistics(_ result: GenerationResult) -> String {
    let timings = TimingsReport(result.timings)
    return FactLines.text([
      ("prompt", "\(result.usage.promptTokens) tokens, \(result.usage.cachedTokens) of them cached"),
      ("reply", "\(result.usage.completionTokens) tokens"),
      ("left out", "\(result.usage.droppedTurns) turns"),
      ("first token", "\(timings.timeToFirstToken) ms"),
      ("reading", "\(timings.prefill) tokens/s"),
      ("writing", "\(timings.decode) tokens/s"),
    ])
  }
}
