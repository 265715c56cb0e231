import PetCommandLine
import ArgumentParser
import PetEngine
import PetService
import Synchronization

/// A conversation in the terminal: lines in, replies out.
actor Conversation {
  enum Format { case text, json }

  private let partner: any ChatPartner
  private let format: Format
  private let screen: Screen
  private var faceSize = ReplyView.Size.full
  private var last: TurnReport?
  /// What a smaller model stood in for at the last answer.
  private var degraded: DegradedForm?

  init(with partner: any ChatPartner, output: Format, screen: Screen) {
    self.partner = partner
    self.screen = screen
    format = output
  }

  /// With a person at a terminal: commands, and errors that end a turn but not the conversation. The model loads, and reads
  /// who it is, while the person types.
  func converse(with editor: LineEditor) async throws {
    let warmUp = Task { try await partner.prewarm() }
    let speaker = speaker(above: editor)
    defer {
      warmUp.cancel()
      speaker.cancel()
    }
    let (problems, greeting) = try await partner.arrive()
    for problem in problems { Output.error.writeLine("pet: \(problem)") }
    for reply in greeting { show(reply) }
    while let line = try await editor.readLine(prompt: "> ") {
      switch SlashCommand.read(line) {
      case .empty: continue
      case .unknown(let name): Output.standard.writeLine("\(name): no such command; /help lists them")
      case .command(.quit, _): return
      case .command(let command, let rest): try await reporting { try await self.carryOut(command, rest, editor) }
      case .message(let text):
        // With a model that cannot be used there is no conversation.
        try await partner.load()
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
      await partner.listen { reply in
        Task { editor.interject(await self.shown(reply)) }
      }
    }
  }

  /// While the person reads and types.
  private func makeReady() {
    Task.detached(priority: .utility) { [partner] in await partner.makeReady() }
  }

  /// From a file or a pipe: every line is a turn. A turn that fails is reported and the next one answered; the program
  /// then ends with the failure's status.
  func answerLines(from editor: LineEditor) async throws {
    try await partner.load()
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
    let report = try await SignalMonitor.shared.cancellingOnInterrupt { [partner] in
      try await partner.answer(text) { piece in
        if format == .text { Output.standard.write(view.withLock { $0.append(piece) }) }
      }
    }
    last = report
    switch format {
    case .json: try JSONOutput.write(report, isPretty: false)
    case .text:
      Output.standard.write(view.withLock { $0.finish(report.reply) })
      if let note = Self.note(report) { Output.error.writeLine(note) }
      for notice in report.notices { tell(notice) }
      tellChange(to: report)
    }
  }

  /// One line where the conversation goes over to a smaller model, and one where it is back.
  private func tellChange(to report: TurnReport) {
    // Of a reply that was stopped it is not known.
    guard report.finishReason != GenerationResult.FinishReason.cancelled.rawValue else { return }
    if let now = report.degraded, now.from != degraded?.from {
      Output.error.writeLine("(a smaller model answers for \(now.from): \(now.reason))")
    } else if report.degraded == nil, let before = degraded {
      Output.error.writeLine("(\(before.from) answers again)")
    }
    degraded = report.degraded
  }

  private var replyView: ReplyView {
    ReplyView(name: partner.name.display, pet: partner.name.face, screen: screen, size: faceSize)
  }

  /// A reply that no message asked for.
  private func show(_ reply: Reply) { Output.standard.write(shown(reply)) }

  private func shown(_ reply: Reply) -> String {
    var view = replyView
    return view.append(reply.text) + view.finish(reply)
  }

  private func tell(_ notice: TurnNotice) {
    switch notice {
    case .shortened: Output.error.writeLine("(your message is long: its beginning and its end were read)")
    case .notKept(let reason): Output.error.writeLine("pet: this was not kept: \(reason)")
    case .reminder(let reply): show(reply.reply)
    }
  }

  private static func note(_ report: TurnReport) -> String? {
    switch GenerationResult.FinishReason(rawValue: report.finishReason) {
    case .stop, .cancelled, .flag, nil: nil
    case .length: "(cut off at \(report.usage.completionTokens) tokens; --max-tokens allows more)"
    case .loop: "(cut off: it began to repeat itself)"
    case .context: "(cut off: the context is full)"
    case .deadline: "(cut off: the time is up)"
    }
  }

  private func carryOut(_ command: SlashCommand, _ rest: String, _ editor: LineEditor) async throws {
    if let care = command.care {
      show(try await partner.care(care))
      return
    }
    switch command {
    case .help: Output.standard.write(SlashCommand.overview)
    case .state: try await showState()
    case .memory: try await memory(rest)
    case .forget: try await forget(rest, editor)
    case .privacy:
      let (own, service) = try await partner.privacy()
      Output.standard.write(PrivacyText.text(own: own, service: service, kept: partner.kept))
    case .face:
      if let size = ReplyView.Size(rawValue: rest) { faceSize = size }
      Output.standard.writeLine("face: \(faceSize.rawValue)")
    case .model: Output.standard.write(Self.facts(try await partner.model()))
    case .stats:
      Output.standard.write(last.map(Self.statistics) ?? "nothing was said yet\n")
      if let context = last?.context { Output.standard.write(ContextText.text(of: context)) }
      Output.standard.write(StatisticsText.text(of: try await partner.statistics()))
    case .reset:
      try await partner.startAnew()
      last = nil
      Output.standard.writeLine("the conversation starts anew")
    case .feed, .play, .rest, .pet, .clean, .quit: break
    }
  }

  private func showState() async throws {
    let state = try await partner.state()
    let bars = StateBars(state, affection: state.affection, health: state.health)
    Output.standard.write(
      StateView.text(
        name: partner.name.display, pet: partner.name.face, emotion: state.look, bars: bars, on: screen, size: faceSize)
    )
  }

  private func memory(_ rest: String) async throws {
    let words = rest.split(maxSplits: 2, whereSeparator: \.isWhitespace)
    if words.first == "edit" {
      guard words.count == 3, let number = Int64(words[1]) else {
        Output.standard.writeLine("/memory edit NUMBER TEXT")
        return
      }
      try await partner.edit(number, value: String(words[2]))
    }
    let facts = try await partner.memories()
    guard !facts.isEmpty else {
      Output.standard.writeLine(
        partner.name.isPet ? "\(partner.name.display) knows nothing of you yet" : "nothing is kept")
      return
    }
    Output.standard.write(FactLines.text(facts.map { ("\($0.id)", Output.standard.safe($0.text)) }))
  }

  private func forget(_ rest: String, _ editor: LineEditor) async throws {
    if rest == "everything" {
      // What was said is also in the lines that Up brings back.
      last = nil
      editor.forgetHistory()
      try await partner.forgetEverything()
      Output.standard.writeLine("forgotten, for good")
    } else if let number = Int64(rest) {
      try await partner.forget(number)
      Output.standard.writeLine("forgotten")
    } else {
      Output.standard.writeLine("/forget NUMBER, as /memory lists them, or /forget everything")
    }
  }

  private static func facts(_ model: (facts: ServingModel, file: String?)) -> String {
    let facts = model.facts
    return FactLines.text(
      [("model", facts.name + (facts.tier.map { " (\($0))" } ?? ""))] + (model.file.map { [("file", $0)] } ?? []) + [
        ("size", "\(ByteCount.text(UInt64(max(0, facts.bytes)))), \(facts.layers) layers, \(facts.architecture)"),
        ("context", "\(facts.contextLength) tokens"),
        ("runs on", "\(facts.threads) threads, \(facts.kernels) kernels"),
      ])
  }

  private static func statistics(_ report: TurnReport) -> String {
    let (usage, timings) = (report.usage, report.timings)
    return FactLines.text([
      ("prompt", "\(usage.promptTokens) tokens, \(usage.cachedTokens) of them cached"),
      ("reply", "\(usage.completionTokens) tokens"),
      ("left out", "\(usage.droppedTurns) turns"),
      ("first token", "\(timings.timeToFirstToken) ms"),
      ("reading", "\(timings.prefill) tokens/s"),
      ("writing", "\(timings.decode) tokens/s"),
    ])
  }
}
