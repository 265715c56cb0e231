import PetCommandLine
import ArgumentParser
import PetEngine

struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Talk with a model.",
    discussion: """
      On a terminal: lines can be edited, Up brings back earlier ones, Ctrl-C stops a reply and nothing else, /help lists
      what else there is. When standard input is no terminal, every line of it is one turn. Temperature and repetition
      penalty are what suits the model where you give none.

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

  @Option(help: "Most tokens of a reply.")
  var maxTokens: Int = 256

  @Flag(help: "No drawings and no colours: sentences, for people who listen to the screen.")
  var plain = false

  @Flag(
    help:
      "Print one object per turn: text, emotion, actions, well_formed, source, cached, finish_reason, notices, context, memories, usage, timings."
  )
  var json = false

  /// Before a model is loaded: any values where a person gave none.
  func validate() throws { _ = try options(temperature: 1, repetitionPenalty: 1) }

  func run() async throws {
    let environment = ProcessEnvironment.current
    let opened = try who.open(environment, choice: sampling.seed ?? .random(in: .min ... .max))
    let (runtime, model, _) = try await model.lazy()
    let editor = try LineEditor(
      commands: SlashCommand.allCases.map(\.name), arguments: SlashCommand.completeArgument,
      history: who.incognito ? nil : try? HistoryFile.standard(environment), environment: environment)
    try SignalMonitor.shared.start()
    let conversation = try Conversation(
      model: model, opened, output: json ? .json : .text,
      screen: Screen(isPlain: plain, output: .standard, environment: environment)
    ) { [self] model in
      try options(temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty)
    }
    if editor.mode == .editing {
      // Without word from the system the model stays: a conversation is better than none.
      let monitor = try? MemoryPressureMonitor()
      let watch = monitor.map { monitor in Task { await runtime.follow(monitor.levels) } }
      defer { watch?.cancel() }
      try await conversation.converse(with: editor)
    } else {
      try await conversation.answerLines(from: editor)
    }
  }

  /// - Parameters: what holds where a person gave nothing.
  private func options(temperature: Float, repetitionPenalty: Float) throws -> GenerationOptions {
    let sampling = try sampling.options(temperature: temperature, repetitionPenalty: repetitionPenalty)
    do {
      return try GenerationOptions(sampling: sampling, maximumTokens: maxTokens, stopsAtLoop: true)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension HistoryFile {
  static func standard(_ environment: [String: String]) throws -> HistoryFile {
    HistoryFile(path: try PetFolders(environment: environment).data + "/history")
  }
}
