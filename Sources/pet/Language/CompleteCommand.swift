// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetCommandLine
import ArgumentParser
import PetEngine
import Synchronization

struct CompleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Continue a text as it stands, or answer it as a message.",
    discussion: """
      EXAMPLES
        pet complete --prompt "The capital of France is" --max-tokens 8
        pet complete --prompt "Once upon a time" --temperature 0.8 --seed 7
        pet complete --max-tokens 32 --json < prompt.txt
        pet complete --prompt "A cat called Tom:" --schema Examples/cat.schema.json
        pet complete --chat --prompt "How are you?" --json
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var sampling: SamplingArguments
  @OptionGroup var service: ServiceOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "The text to continue; without it, standard input.")
  var prompt: String?

  @Option(help: "Most tokens to generate.")
  var maxTokens: Int = 128

  @Option(name: .customLong("stop"), help: "Text that ends the output; may be given more than once.")
  var stops: [String] = []

  @Option(help: ArgumentHelp("A JSON schema that the output must keep to.", valueName: "file"))
  var schema: String?

  @Option(help: ArgumentHelp("A grammar, in llama.cpp's GBNF, that the output must keep to.", valueName: "file"))
  var grammar: String?

  @Option(help: ArgumentHelp("A LoRA adapter (GGUF) to speak with.", valueName: "file"))
  var adapter: String?

  @Option(help: "A smaller model of the same vocabulary that guesses ahead; the output stays the same.")
  var draft: String?

  @Flag(help: "Answer the text as a message, in the model's chat template.")
  var chat = false

  @Flag(help: "Show what the model wrote as it was drawn, with the marks of emotion and actions in it.")
  var raw = false

  @Flag(help: "Print one object: text, emotion, actions, source, danger, ids, finish_reason, usage, timings.")
  var json = false

  func validate() throws {
    if schema != nil, grammar != nil { throw ValidationError("--schema and --grammar are both given; give one") }
    if stops.contains("") { throw ValidationError("--stop is empty; give the text that ends the output") }
    guard (1...1_000_000).contains(maxTokens) else {
      throw ValidationError("--max-tokens is \(maxTokens); give a number from 1 to 1000000")
    }
    _ = try options()
  }

  func run() async throws {
    let prompt = try prompt ?? StandardInput.text()
    // Whatever is wrong with it is told here, whoever answers.
    var options = try options()
    let given = model.given + [adapter.map { _ in "--adapter" }, draft.map { _ in "--draft" }].compactMap(\.self)
    if let client = try await service.client(
      ProcessEnvironment.current, besides: given, profile: model.settings.profile)
    {
      try confinement.seal(.broker)
      return try await ask(client, prompt)
    }
    try confinement.seal(.nobody)
    let model = try model.load(draft: draft)
    options.grammar = try grammarText().map { text in
      try named {
        guard schema != nil, let source = String(validating: text, as: UTF8.self) else {
          return try model.outputGrammar(compiled(text))
        }
        return try model.markFreeGrammar(jsonSchema: source)
      }
    }
    let adapter = try adapter.map { try model.loadAdapter(path: $0) }
    try SignalMonitor.shared.start()
    let net = try SafetyNet(self.model.resolve(), ProcessEnvironment.current)
    let reply = try await SignalMonitor.shared.cancellingOnInterrupt { [options, show, chat, raw] in
      try await net.completion(
        of: prompt, isChat: chat, by: model, options, adapter: adapter, keepsMarks: raw, onText: show)
    }
    try finish(CompletionReport(reply, by: model.identity))
  }

  private func options() throws -> GenerationOptions {
    do {
      return try GenerationOptions(
        sampling: try sampling.options(temperature: 0), maximumTokens: maxTokens, stopStrings: stops)
    } catch let error as SamplingError {
      throw ValidationError("\(error)")
    }
  }

  private func ask(_ client: ServiceClient, _ prompt: String) async throws {
    var request = TextRequest(prompt: prompt)
    (request.maxTokens, request.stop, request.seed) = (maxTokens, stops, sampling.seed)
    (request.temperature, request.repetitionPenalty) = (sampling.temperature, sampling.repetitionPenalty)
    (request.topK, request.topP, request.minP) = (sampling.topK, sampling.topP, sampling.minP)
    (request.isChat, request.isRaw) = (chat ? true : nil, raw ? true : nil)
    if let text = try grammarText() {
      // What is wrong with it names the file.
      _ = try named { try compiled(text) }
      let source = String(decoding: text, as: UTF8.self)
      if schema == nil { request.grammar = source } else { request.schema = source }
    }
    try SignalMonitor.shared.start()
    let said = Mutex("")
    let report: CompletionReport? = try await SignalMonitor.shared.cancellingOnInterrupt { [request, show] in
      do {
        return try await client.answer("/pet/completions", request) { piece in
          said.withLock { $0 += piece }
          show(piece)
        }
      } catch  where Task.isCancelled {
        return nil
      }
    }
    if let report { return try finish(report) }
    let model: ServingModel? = json ? (try? await client.value(.GET, "/pet/models/serving")) : nil
    let identity = ModelIdentity(name: model?.name ?? "", tier: model?.tier)
    try finish(CompletionReport(cut: said.withLock { $0 }, by: identity))
  }

  /// A pipe gets the text as the model wrote it.
  private var show: @Sendable (String) -> Void {
    let isTerminal = Output.standard.isTerminal
    return { [json] text in
      if !json { Output.standard.write(isTerminal ? TerminalText.sanitize(text) : text) }
    }
  }

  private func grammarText() throws -> [UInt8]? {
    // As much as a grammar may have.
    try (schema ?? grammar).map { try InputFile.bytes($0, limit: GrammarLimits().sourceBytes) }
  }

  private func compiled(_ text: [UInt8]) throws -> Grammar {
    try schema == nil ? Grammar(gbnf: String(decoding: text, as: UTF8.self)) : Grammar(jsonSchema: text)
  }

  /// What is wrong with the grammar names its file.
  private func named<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as GrammarError {
      throw InputError.notAGrammar(path: schema ?? grammar ?? "", error)
    }
  }

  private func finish(_ report: CompletionReport) throws {
    let reason = GenerationResult.FinishReason(rawValue: report.finishReason)
    if json {
      try JSONOutput.write(report)
    } else {
      Output.standard.write("\n")
    }
    if !json || reason == .cancelled,
      let note = CutOff.note(reason, tokens: report.usage.completionTokens, limit: maxTokens)
    {
      Output.error.tell(note)
    }
    if reason == .cancelled { throw ExitCode(ExitStatus.interrupted.rawValue) }
  }
}

extension CompleteCommand: ConfinedCommand {
  func confine() throws {
    // Whether petd will answer is not known yet.
    try confinement.confine(to: model.seal(draft: draft).reading(schema, grammar, adapter).files, peers: .coming)
    if !confinement.unsealed { try service.startBroker(ProcessEnvironment.current) }
  }
}
