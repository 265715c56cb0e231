import PetCommandLine
import ArgumentParser
import PetEngine
import PetService
import Synchronization

/// A conversation in the terminal: lines in, replies out.
actor Conversation {
  enum Format { case text, json }

  private let model: LazyModel<LanguageModel>
  private let opened: OpenedPet
  private let format: Format
  private let screen: Screen
  private var faceSize = ReplyView.Size.full
  private let companion: LazyCompanion
  private var last: CompanionAnswer?

  /// - Parameter options: how replies are made, given the model.
  /// - Throws: what is wrong with a conversation that is to go on.
  init(
    model: LazyModel<LanguageModel>, _ opened: OpenedPet, output: Format, screen: Screen,
    options: @escaping LazyCompanion.Options
  ) throws {
    companion = LazyCompanion(
      model, pet: opened.pet, instructions: opened.instructions, resuming: try opened.conversation?.load(),
      options: options)
    self.model = model
    self.opened = opened
    self.screen = screen
    format = output
  }

  private var pet: LivingPet { opened.pet }

  /// With a person at a terminal: commands, and errors that end a turn but not the conversation. The model loads, and reads
  /// who it is, while the person types.
  func converse(with editor: LineEditor) async throws {
    let warmUp = Task { try await companion.prewarm() }
    let speaker = speaker(above: editor)
    defer {
      warmUp.cancel()
      speaker.cancel()
    }
    for problem in opened.home?.damage ?? [] { Output.error.writeLine("pet: \(problem)") }
    for reply in await pet.arrive() { show(reply) }
    while let line = try await editor.readLine(prompt: "> ") {
      switch SlashCommand.read(line) {
      case .empty: continue
      case .unknown(let name): Output.standard.writeLine("\(name): no such command; /help lists them")
      case .command(.quit, _): return
      case .command(let command, let rest): try await reporting { try await self.carryOut(command, rest, editor) }
      case .message(let text):
        // With a model that cannot be used there is no conversation.
        try await companion.check()
        try await reporting { try await self.answer(text) }
        makeReady()
      }
    }
  }

  /// What goes wrong in a turn is told, and ends the turn only.
  private func reporting(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as any UserFacingError {
      Output.error.writeLine("pet: \(error)")
    }
  }

  /// Lets the pet speak first, above the line that is being typed.
  private func speaker(above editor: LineEditor) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        let (reply, again) = await self.pet.speakFirst()
        if let reply { editor.interject(self.shown(reply)) }
        // What happens meanwhile is seen at the latest after this.
        try? await Task.sleep(for: .seconds(min(again ?? 60, 60)))
      }
    }
  }

  /// While the person reads and types.
  private func makeReady() {
    Task.detached(priority: .utility) { [companion] in try? await companion.makeReady() }
  }

  /// From a file or a pipe: every line is a turn. A turn that fails is reported and the next one answered; the program
  /// then ends with the failure's status.
  func answerLines(from editor: LineEditor) async throws {
    for problem in opened.home?.damage ?? [] { Output.error.writeLine("pet: \(problem)") }
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

  private func answer(_ text: String) async throws {
    let format = format
    let view = Mutex(replyView)
    let answer = try await SignalMonitor.shared.cancellingOnInterrupt { [companion] in
      try await companion.respond(to: text) { piece in
        if format == .text { Output.standard.write(view.withLock { $0.append(piece) }) }
      }
    }
    last = answer
    switch format {
    case .json: try JSONOutput.write(TurnReport(answer), isPretty: false)
    case .text:
      Output.standard.write(view.withLock { $0.finish(answer.reply) })
      if let note = Self.note(answer.generation) { Output.error.writeLine(note) }
      for notice in answer.notices { tell(notice) }
    }
    if let kept = opened.conversation, await pet.mayKeepConversation, let state = await companion.state() {
      try kept.save(state)
    }
  }

  private var replyView: ReplyView {
    ReplyView(name: opened.displayName, pet: pet.name ?? "", screen: screen, size: faceSize)
  }

  /// A reply that no message asked for.
  private func show(_ reply: Reply) { Output.standard.write(shown(reply)) }

  private func shown(_ reply: Reply) -> String {
    var view = replyView
    return view.append(reply.text) + view.finish(reply)
  }

  private func tell(_ notice: CompanionAnswer.Notice) {
    switch notice {
    case .shortened: Output.error.writeLine("(your message is long: its beginning and its end were read)")
    case .notKept(let reason): Output.error.writeLine("pet: this was not kept: \(reason)")
    case .reminder(let reply): show(reply)
    }
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

  private func carryOut(_ command: SlashCommand, _ rest: String, _ editor: LineEditor) async throws {
    if let care = command.care {
      show(try await pet.care(care).reply)
      return
    }
    switch command {
    case .help: Output.standard.write(SlashCommand.overview)
    case .state: await showState()
    case .memory: try await memory(rest)
    case .forget: try await forget(rest, editor)
    case .privacy: Output.standard.write(PrivacyText.text(home: opened.home))
    case .face:
      if let size = ReplyView.Size(rawValue: rest) { faceSize = size }
      Output.standard.writeLine("face: \(faceSize.rawValue)")
    case .model: Output.standard.write(try await model.use(Self.facts))
    case .stats:
      Output.standard.write(last.map { Self.statistics($0.generation) } ?? "nothing was said yet\n")
      if let context = last?.context { Output.standard.write(ContextText.text(of: context)) }
      Output.standard.write(await PetStatistics.text(of: pet))
    case .reset:
      await companion.reset()
      last = nil
      Output.standard.writeLine("the conversation starts anew")
    case .feed, .play, .rest, .pet, .clean, .quit: break
    }
  }

  private func showState() async {
    let state = await pet.state()
    let bars = StateBars(state, affection: state.affection, health: state.health)
    Output.standard.write(
      StateView.text(
        name: opened.displayName, pet: pet.name ?? "", emotion: state.look, bars: bars, on: screen, size: faceSize))
  }

  private func memory(_ rest: String) async throws {
    let words = rest.split(maxSplits: 2, whereSeparator: \.isWhitespace)
    if words.first == "edit" {
      guard words.count == 3, let number = Int64(words[1]) else {
        Output.standard.writeLine("/memory edit NUMBER TEXT")
        return
      }
      try await pet.edit(number, value: String(words[2]))
    }
    let facts = try await pet.memories()
    guard !facts.isEmpty else {
      Output.standard.writeLine(
        pet.persona == nil ? "nothing is kept" : "\(opened.displayName) knows nothing of you yet")
      return
    }
    Output.standard.write(FactLines.text(facts.map { ("\($0.id)", Output.standard.safe($0.text)) }))
  }

  private func forget(_ rest: String, _ editor: LineEditor) async throws {
    if rest == "everything" {
      // What was said is in the conversation too, and in the lines that Up brings back.
      await companion.reset()
      last = nil
      editor.forgetHistory()
      try await pet.forgetEverything()
      Output.standard.writeLine("forgotten, for good")
    } else if let number = Int64(rest) {
      try await pet.forget(number)
      Output.standard.writeLine("forgotten")
    } else {
      Output.standard.writeLine("/forget NUMBER, as /memory lists them, or /forget everything")
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
