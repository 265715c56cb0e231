// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import ArgumentParser
import PetEngine
import PetFiles

struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Talk with a model.",
    discussion: """
      On a terminal: lines can be edited, Up brings back earlier ones, Ctrl-C stops a reply and nothing else. When standard input is \
      no terminal, every line of it is one turn, and Ctrl-C ends the program with the status 130; a byte order mark at its start is left out. Everywhere, a line that begins with a slash and a letter is a command, and /help \
      lists them; two slashes begin a message with one. Temperature and repetition \
      penalty are what suits the model where you give none. Where petd runs, the pet that it minds answers, unless you ask \
      for anything that petd was not started with: a model, a setting, another profile, a seed, another pet than the built-in \
      ones. That it is not asked is told.

      EXAMPLES
        pet chat
        pet chat --persona zest --seed 7
        pet chat --persona pirate.txt
        pet chat --session holidays
        pet chat --incognito --state hunger=90,energy=10
        echo "Hello!" | pet chat --json
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var sampling: SamplingArguments
  @OptionGroup var who: PetOptions
  @OptionGroup var service: ServiceOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "Most tokens of a reply.")
  var maxTokens: Int = Self.usualTokens

  private static let usualTokens = 256

  @Flag(
    help:
      "Fetch the default model where it is not here, in a process of its own, and have it answer as soon as it is: until then a smaller one does."
  )
  var fetch = false

  @Flag(help: "No drawings and no colours: sentences, for people who listen to the screen.")
  var plain = false

  @Flag(
    help:
      "Print one object per line: notice and text of damaged files that were kept aside, command and text of a command, error of what failed, and of a turn text, emotion, actions, well_formed, source, rung, danger, cached, finish_reason, notices, context, memories, usage, timings, model, tier, degraded."
  )
  var json = false

  /// Before a model is loaded: any values where a person gave none.
  func validate() throws {
    guard (1...1_000_000).contains(maxTokens) else {
      throw ValidationError("--max-tokens is \(maxTokens); give a number from 1 to 1000000")
    }
    _ = try options(temperature: 1, repetitionPenalty: 1)
  }

  func run() async throws {
    let environment = ProcessEnvironment.current
    let given =
      model.given + sampling.given + (maxTokens == Self.usualTokens ? [] : ["--max-tokens"]) + who.given
    let client = try await service.client(environment, besides: given, profile: model.settings.profile)
    let editor = try LineEditor(
      commands: SlashCommand.allCases.map(\.name), arguments: SlashCommand.completeArgument,
      history: who.forgetsLines ? nil : try? HistoryFile.standard(environment), environment: environment)
    try SignalMonitor.shared.start()
    if let client {
      let pet = try await ServicePartner(client, pet: who.persona.lowercased(), session: who.session)
      try confinement.seal(.broker)
      return try await talk(with: pet, editor, environment)
    }
    let configuration = try model.resolve()
    try model.check(configuration)
    let opened = try who.open(
      environment, choice: sampling.choice,
      savesMemory: configuration.profile.value == .watch, rungs: configuration.rungs.value,
      answers: AnswerKeeping(configuration))
    if environment["PET_PASSPHRASE"] != nil, !who.seal.passphrase {
      Output.error.tell("(PET_PASSPHRASE seals nothing without --passphrase)")
    }
    let deviceRoot = model.deviceRoot
    let served: ModelOptions.Lazy
    let pet: LocalPartner
    do {
      served = try await model.lazy(for: .conversation)
      pet = try LocalPartner(served.model, opened, served.runtime.privacy) { [self] model in
        try options(temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty)
      }
    } catch {
      // Otherwise it is told by the conversation, which does not come about.
      for damage in opened.home?.damage ?? [] {
        Output.error.tell("pet: \(damage.text)")
        if json { try JSONOutput.write(DamageReport(damage), isPretty: false) }
      }
      throw error
    }
    let pull = BackgroundPull.current
    if let pull {
      Output.error.tell(pull.beginning(served.name))
    } else if let notice = served.notice {
      Output.error.tell("pet: \(notice)")
    }
    let runtime = served.runtime
    // Without word from the system the model stays: a conversation is better than none.
    let monitor = editor.isInteractive ? try? MemoryPressureMonitor() : nil
    let responder = PerformanceResponder(runtime, device: { .read(root: deviceRoot) })
    let watches = [
      Task { await responder.run() },
      Task {
        guard let monitor else { return }
        await withDiscardingTaskGroup { group in
          group.addTask { for await level in monitor.levels { await responder.note(level) } }
          await runtime.follow(monitor.levels)
        }
      },
    ]
    let arrival = pull.map { pull in
      Task {
        await pull.follow(renew: served.renew) { line in
          guard editor.isInteractive else { return Output.error.tell("(\(line))") }
          while !Task.isCancelled, !editor.interject("(\(line))\n") {
            try? await Task.sleep(for: .milliseconds(200))
          }
        }
      }
    }
    defer {
      for watch in watches { watch.cancel() }
      arrival?.cancel()
      if let pull, pull.isUnderWay {
        Output.error.tell("(\(pull.model) is still being fetched, beside this program)")
      }
    }
    try confinement.seal(.nobody)
    try await talk(with: pet, editor, environment)
  }

  private func talk(
    with partner: some ChatPartner, _ editor: LineEditor, _ environment: [String: String]
  ) async throws {
    let conversation = Conversation(
      with: partner, output: json ? .json : .text,
      screen: json ? Screen(form: .bare) : Screen(isPlain: plain, output: .standard, environment: environment))
    if editor.isInteractive {
      try await conversation.converse(with: editor)
    } else {
      SignalMonitor.shared.endAtSecondInterrupt()
      try await conversation.answerLines(from: editor)
    }
  }

  /// - Parameters: what holds where a person gave nothing.
  private func options(temperature: Float, repetitionPenalty: Float) throws -> GenerationOptions {
    let chosen = try sampling.options(temperature: temperature, repetitionPenalty: repetitionPenalty)
    do {
      var options = try GenerationOptions(sampling: chosen, maximumTokens: maxTokens, stopsAtLoop: true)
      options.isSeedRandom = sampling.seed == nil
      return options
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension ChatCommand: ConfinedCommand {
  /// What of this is not there now cannot be touched later.
  func confine() throws {
    let environment = ProcessEnvironment.current
    let folders = try PetFolders(environment: environment)
    // One that keeps nothing leaves no folder.
    if !who.incognito {
      try MissingHome.check(environment)
      try Folder.create(folders.data, mode: 0o700)
      try FolderTrust.check(folders.data)
    }
    var files = [FileAccess(folders.data, who.incognito ? .read : .own)] + (try model.files(folders))
    files += try who.files() + SystemTerminal.files(environment)
    // Where petd may answer, the model is its own to choose.
    if fetch, try service.noService || !ServiceOptions.service(at: service.socket, environment).isListening {
      try BackgroundPull.start(for: model, environment)
    }
    // Whether petd will answer is not known yet.
    confinement.confine(to: files, peers: .coming)
    if !confinement.unsealed { try service.startBroker(environment) }
  }
}

/// What describes terminals, and the keys of the line editor.
private enum SystemTerminal {
  static func files(_ environment: [String: String]) -> [FileAccess] {
    let home = environment["HOME"].map { [$0 + "/.terminfo", $0 + "/.editrc"] } ?? []
    let named =
      [environment["TERMINFO"], environment["EDITRC"]].compactMap { $0 }
      + (environment["TERMINFO_DIRS"] ?? "").split(separator: ":").map(String.init)
    return (home + named).filter { $0.hasPrefix("/") }.map { FileAccess($0, .read) }
  }
}

extension HistoryFile {
  static func standard(_ environment: [String: String]) throws -> HistoryFile {
    HistoryFile(path: try PetFolders(environment: environment).data + "/history")
  }
}
