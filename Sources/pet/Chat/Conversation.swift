// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import ArgumentParser
import PetEngine
import Synchronization

/// A conversation in the terminal: lines in, replies out.
actor Conversation {
  enum Format { case text, json }

  private let partner: any ChatPartner
  private let format: Format
  private let screen: Screen
  private var faceSize = ReplyView.Size.full
  private var last: TurnReport?
  private var hasHeardOfDanger = false
  /// What a smaller model stood in for at the last answer.
  private var degraded: DegradedForm?

  init(with partner: any ChatPartner, output: Format, screen: Screen) {
    self.partner = partner
    self.screen = screen
    format = output
  }

  /// With a person at a terminal: errors end a turn but not the conversation. The model loads, and reads who it is, while the
  /// person types.
  func converse(with editor: LineEditor) async throws {
    let warmUp = Task { try await partner.prewarm() }
    let speaker = speaker(above: editor)
    defer {
      warmUp.cancel()
      speaker.cancel()
    }
    let (problems, greeting) = try await partner.arrive()
    for problem in problems { Output.error.tell("pet: \(problem)") }
    await tellWarnings()
    for reply in greeting { show(reply) }
    while let typed = try await editor.readLine(prompt: "> ") {
      if let hint = SlashCommand.hint(for: typed, name: partner.name.display) {
        Output.error.tell(hint)
        continue
      }
      let line = SlashCommand.read(typed)
      let outcome = try await take(line, editor)
      editor.settle(keeps: await mayBeWritten(line, typed))
      switch outcome {
      case .done, .failed: break
      case .lost(let status): throw ExitCode(status.rawValue)
      case .end: return
      }
      if case .message = line { makeReady() }
    }
  }

  /// From a file or a pipe: every line is a turn or a command. One that fails is reported and the next one answered; the program
  /// then ends with the failure's status. Where nobody is left to be asked, or SIGINT comes, it ends at once, and says from which
  /// line on.
  func answerLines(from editor: LineEditor) async throws {
    var status: ExitStatus?
    var number = 0
    await tellWarnings()
    for damage in await partner.damage() {
      Output.error.tell("pet: \(damage.text)")
      if format == .json { try write(DamageReport(damage)) }
    }
    reading: while true {
      number += 1
      let line: String
      do {
        let next = try await SignalMonitor.shared.cancellingOnInterrupt { try await editor.readLine(prompt: "") }
        guard let next else { break }
        line = next
        try endIfInterrupted(at: number)
      } catch is CancellationError where SignalMonitor.shared.isInterrupted {
        return try endIfInterrupted(at: number)
      } catch let error as LineEditorError {
        guard case .lineTooLong = error else { throw try lost(error, at: number) }
        try tell(error, of: nil)
        status = error.exitStatus
        continue
      } catch {
        throw try lost(error, at: number)
      }
      let outcome: Outcome
      do {
        outcome = try await take(SlashCommand.read(line), number: number, editor)
      } catch is CancellationError where SignalMonitor.shared.isInterrupted {
        return try endIfInterrupted(at: number)
      } catch {
        throw try lost(error, at: number)
      }
      switch outcome {
      case .done: break
      case .failed(let failure): status = failure
      case .lost(let failure): throw ExitCode(failure.rawValue)
      case .end: break reading
      }
      try endIfInterrupted(at: number + 1)
    }
    if let status { throw ExitCode(status.rawValue) }
  }

  /// Tells what leaves no conversation.
  /// - Parameter number: of the first line that was not answered.
  /// - Returns: what the program is to end with.
  private func lost(_ error: any Error, at number: Int) throws -> any Error {
    guard let error = CommandExit<Pet>.shown(error) else { return error }
    let lost = LostLine(error, from: number)
    try tell(lost, of: nil)
    return ExitCode(lost.exitStatus.rawValue)
  }

  /// - Parameter number: of the first line that was not taken.
  private func endIfInterrupted(at number: Int) throws {
    guard SignalMonitor.shared.isInterrupted else { return }
    let error = InterruptedLines(number: number)
    try tell(error, of: nil)
    throw ExitCode(error.exitStatus.rawValue)
  }

  private enum Outcome {
    case done
    case failed(ExitStatus)
    /// As `failed`, and there is nobody left to talk with.
    case lost(ExitStatus)
    case end
  }

  private func tellWarnings() async {
    for warning in await partner.warnings() { Output.error.tell("(\(warning))") }
  }

  /// Answers a message or carries out a command; what goes wrong with it is told.
  /// - Parameter number: of a line that others follow which nobody types.
  /// - Throws: what leaves no conversation: a model that cannot be used.
  private func take(
    _ line: SlashCommand.Line, number: Int? = nil, _ editor: LineEditor
  ) async throws -> Outcome {
    if case .message = line {
      try await partner.load()
      // Where nobody types, what came meanwhile ends all.
      if number != nil, SignalMonitor.shared.isInterrupted { throw CancellationError() }
    }
    do {
      switch line {
      case .empty: break
      case .unknown(let name): throw CommandError.unknown(name)
      case .command(.feed, let rest) where CareGift.isHarmful(rest) && rest.split(separator: " ").count <= 3:
        try show(CommandReport(.feed, "That could hurt a pet, so nothing was fed."))
      // Who tells of danger behind a name is heard.
      case .command(let command, let rest) where command.care != nil && DangerDetector().finding(in: rest) != nil:
        try await answer(rest)
      case .command(.play, let game) where !game.isEmpty:
        guard let request = SlashCommand.request(for: game) else { throw CommandError.arguments(.play, game) }
        _ = try await partner.care(.play, with: nil)
        try await answer(request)
      case .command(let command, let rest):
        guard rest.isEmpty || !command.arguments.isEmpty else { throw CommandError.arguments(command, rest) }
        let report = try await carryOut(command, rest, editor)
        if let report { try show(report) }
        if command == .quit { return .end }
      case .message(let text):
        try await answer(text)
        forgetLines(of: last, editor)
        // Whoever reads only the status must learn that a part of the conversation is lost.
        if last?.isKept == false { return .failed(.refused) }
      }
      return .done
    } catch let error as any UserFacingError {
      // At once, not at the end: whoever writes a line and waits for its answer must not wait for ever.
      let failure = error as? ServiceClient.Failure
      if let number, let failure, let lost = LostLine(failure, at: number) {
        try tell(lost, of: line.name)
      } else {
        try tell(error, of: line.name)
      }
      return failure?.isOfAbsence == true
        ? .lost(error.exitStatus) : .failed(error.exitStatus)
    }
  }

  private func tell(_ error: any UserFacingError, of command: String?) throws {
    Output.error.tell("pet: \(error)")
    if format == .json { try write(LineFailure(command: command, error: "\(error)")) }
  }

  private func write(_ value: some Encodable) throws { try JSONOutput.write(value, isPretty: false) }

  /// Words of danger, and those beside them, are written nowhere; passwords and numbers of accounts neither.
  /// - Parameter typed: all of it.
  private func mayBeWritten(_ line: SlashCommand.Line, _ typed: String) async -> Bool {
    guard !SaidLines.isSecret(typed) else { return false }
    guard case .message(let text) = line else {
      // Behind the name, known or not.
      return DangerDetector().finding(in: String(typed.drop { !$0.isWhitespace })) == nil
    }
    guard !hasHeardOfDanger, !(await partner.isNearDanger()) else { return false }
    // Of a reply that was stopped it is not known what the message told of.
    return last?.finishReason != GenerationResult.FinishReason.cancelled.rawValue
      || !DangerDetector().mayTellOfDanger(text)
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

  private func answer(_ text: String) async throws {
    let format = format
    let view = Mutex(replyView)
    let isBegun = Mutex(false)
    let report: TurnReport
    do {
      report = try await SignalMonitor.shared.cancellingOnInterrupt { [partner] in
        try await partner.answer(text) { piece in
          guard format == .text, case let shown = view.withLock({ $0.append(piece) }), !shown.isEmpty else { return }
          isBegun.withLock { $0 = true }
          Output.standard.write(shown)
        }
      }
    } catch {
      // What was shown of it stays; what follows is no part of it.
      if isBegun.withLock({ $0 }) { Output.standard.write("\n") }
      throw error
    }
    last = report
    if report.danger != nil { hasHeardOfDanger = true }
    switch format {
    case .json:
      try write(report)
      // The exit status tells of it, and so does standard error.
      if !report.isKept { for notice in report.notices { if case .notKept = notice { tell(notice) } } }
    case .text:
      Output.standard.write(view.withLock { $0.finish(report.reply) })
      if let note = Self.note(report) { Output.error.tell(note) }
      for notice in report.notices { tell(notice) }
      tellChange(to: report)
    }
  }

  /// One line where the conversation goes over to a smaller model, and one where it is back.
  private func tellChange(to report: TurnReport) {
    // Of a reply that was stopped it is not known.
    guard report.finishReason != GenerationResult.FinishReason.cancelled.rawValue else { return }
    if let now = report.degraded, now.from != degraded?.from {
      Output.error.tell("(a smaller model answers for \(now.from): \(now.reason))")
    } else if report.degraded == nil, let before = degraded {
      Output.error.tell("(\(before.from) answers again)")
    }
    degraded = report.degraded
  }

  private var replyView: ReplyView {
    ReplyView(name: partner.name.display, pet: partner.name.face, screen: screen, size: faceSize)
  }

  /// A reply that no message asked for.
  private func show(_ reply: Reply) { Output.standard.write(shown(reply)) }

  private func shown(_ reply: Reply) -> String {
    if format == .json { return (try? JSONOutput.text(OwnWords(reply), isPretty: false)).map { $0 + "\n" } ?? "" }
    return words(reply)
  }

  private func words(_ reply: Reply) -> String {
    var view = replyView
    return view.append(reply.text) + view.finish(reply)
  }

  private func tell(_ notice: TurnNotice) {
    switch notice {
    case .shortened: Output.error.tell("(your message is long: its beginning and its end were read)")
    case .notKept(let reason): Output.error.tell("pet: this was not kept: \(reason)")
    case .unkept: Output.error.tell("(\(TurnNotice.unkeptText))")
    case .reminder(let reply): show(reply.reply)
    case .forgotten(let memories, _, let everything):
      let text = TurnNotice.forgottenText(memories.map(TerminalText.line), everything: everything)
      Output.error.tell("(\(text)\(everything ? "" : "; /memory undo brings it back"))")
    }
  }

  private static func note(_ report: TurnReport) -> String? {
    CutOff.note(
      GenerationResult.FinishReason(rawValue: report.finishReason), tokens: report.usage.completionTokens, limit: nil)
  }

  private func show(_ report: CommandReport) throws {
    switch format {
    case .json: try write(report)
    case .text: Output.standard.writeLine(report.text)
    }
  }

  /// - Returns: nil where the person thought better of it.
  private func carryOut(_ command: SlashCommand, _ rest: String, _ editor: LineEditor) async throws -> CommandReport? {
    if let care = command.care {
      let gift = CareGift(rest)
      guard rest.isEmpty || care == .feed && gift != nil else { throw CommandError.arguments(command, rest) }
      let reply = try await partner.care(care, with: gift)
      var report = CommandReport(command, format == .json ? reply.text : words(reply))
      (report.emotion, report.actions) = (reply.emotion?.rawValue, reply.actions.map(\.rawValue))
      return report
    }
    switch command {
    case .help: return CommandReport(command, SlashCommand.overview)
    case .state: return try await state()
    case .memory: return try await MemoryCommands(partner).memory(rest)
    case .diary: return try await MemoryCommands(partner).diary()
    case .forget: return try await forget(rest, editor)
    case .privacy:
      let (own, service) = try await partner.privacy()
      var report = CommandReport(
        command, PrivacyText.text(own: own, service: service, answerer: partner.answerer, kept: partner.kept))
      report.privacy = service ?? own
      return report
    case .face:
      guard let size = rest.isEmpty ? faceSize : ReplyView.Size(rawValue: rest.lowercased()) else {
        throw CommandError.arguments(command, rest)
      }
      faceSize = size
      return CommandReport(command, "face: \(faceSize.rawValue)")
    case .model:
      let model = try await partner.model()
      var report = CommandReport(command, Self.facts(model))
      report.model = model
      return report
    case .stats:
      let statistics = try await partner.statistics()
      let turn = last.map(Self.statistics) ?? "nothing was said yet\n"
      let context = last?.context.map(ContextText.text) ?? ""
      var report = CommandReport(command, turn + context + StatisticsText.text(of: statistics))
      report.statistics = statistics
      return report
    case .reset:
      try await partner.startAnew()
      last = nil
      return CommandReport(command, "the conversation starts anew")
    case .quit: return CommandReport(command, "Goodbye!")
    case .feed, .play, .rest, .pet, .clean: return nil
    }
  }

  private func state() async throws -> CommandReport {
    let state = try await partner.state()
    let bars = StateBars(state, affection: state.affection, health: state.health)
    var report = CommandReport(
      .state,
      StateView.text(
        name: partner.name.display, pet: partner.name.face, emotion: state.look, bars: bars, on: screen, size: faceSize)
    )
    report.state = state
    return report
  }

  private func forget(_ rest: String, _ editor: LineEditor) async throws -> CommandReport? {
    if rest.lowercased() == "everything" {
      guard try await isCertain(editor) else { return CommandReport(.forget, "nothing was forgotten") }
      do { try await partner.forgetEverything() } catch {
        if let error = error as? ForgettingError, !error.isNothingForgotten { forgetLines(editor) }
        throw error
      }
      forgetLines(editor)
      guard partner.name.isPet else {
        return CommandReport(
          .forget,
          "forgotten: this conversation and the typed lines; this persona remembers nothing else, and what a pet remembers stays"
        )
      }
      let given = partner.given.isEmpty ? "" : "; what --knows gave stays until you leave"
      return CommandReport(.forget, "forgotten, for good\(given)")
    }
    guard let number = Int64(rest) else { throw CommandError.arguments(.forget, rest) }
    let known = try await partner.memories()
    try await partner.forget(number)
    let left = Set(try await partner.memories().map(\.id))
    // With a memory the line goes that told it.
    let gone = known.filter { $0.id == number } + known.filter { $0.id != number && !left.contains($0.id) }
    for one in gone { editor.forgetHistory(saying: Self.words(of: one)) }
    let texts = gone.map { TerminalText.line($0.text) }
    var text = "forgotten" + (texts.isEmpty ? "" : ": \(texts.joined(separator: ", and with it: "))")
    if await isInConversation(gone) {
      text += "\nthis conversation still has your words, which may be said again; /reset begins anew"
    }
    return CommandReport(.forget, text)
  }

  private func isInConversation(_ facts: [FactForm]) async -> Bool {
    let words = facts.map { Self.words(of: $0).lowercased() }
    return await partner.lines().contains { line in words.contains { line.lowercased().contains($0) } }
  }

  /// That a line which told the fact has in it.
  private static func words(of fact: FactForm) -> String { fact.value.isEmpty ? fact.text : fact.value }

  /// What was said is also in the lines that Up brings back.
  private func forgetLines(_ editor: LineEditor) {
    last = nil
    editor.forgetHistory()
  }

  /// What a message had the pet forget goes from the typed lines, too.
  private func forgetLines(of report: TurnReport?, _ editor: LineEditor) {
    for case .forgotten(_, let words, let everything) in report?.notices ?? [] {
      if everything { editor.forgetHistory() }
      for one in words { editor.forgetHistory(saying: one) }
    }
  }

  /// Asks once where somebody can answer; a program that writes it means it.
  private func isCertain(_ editor: LineEditor) async throws -> Bool {
    guard editor.isInteractive else { return true }
    let what =
      partner.name.isPet ? "All that \(partner.name.display) knows of you" : "This conversation, with the typed lines,"
    let answer = try await editor.readLine(prompt: "\(what) will be erased. Sure (yes, no)? ")
    return ["y", "yes"].contains((answer ?? "").lowercased().filter { !$0.isWhitespace })
  }

  private static func facts(_ model: ServingModel) -> String {
    FactLines.text([
      ("model", model.name + (model.tier.map { " (\($0))" } ?? "")), ("file", model.path),
      ("size", "\(ByteCount.text(UInt64(max(0, model.bytes)))), \(model.layers) layers, \(model.architecture)"),
      ("context", "\(model.contextLength) tokens"),
      ("runs on", "\(model.threads) threads, \(model.kernels) kernels"),
    ])
  }

  private static func statistics(_ report: TurnReport) -> String {
    let (usage, timings) = (report.usage, report.timings)
    // Where no model was asked nothing was counted.
    guard usage.promptTokens > 0 else { return FactLines.text([("prompt", "none: the last answer took no model")]) }
    func measured(_ value: Double?, _ unit: String) -> String { value.map { "\($0) \(unit)" } ?? "not measured" }
    return FactLines.text([
      ("prompt", "\(usage.promptTokens) tokens, \(usage.cachedTokens) of them cached"),
      ("reply", "\(usage.completionTokens) tokens"),
      ("left out", "\(usage.droppedTurns) turns"),
      ("first token", measured(timings.timeToFirstToken, "ms")),
      ("reading", measured(timings.prefill, "tokens/s")),
      ("writing", measured(timings.decode, "tokens/s")),
    ])
  }
}
