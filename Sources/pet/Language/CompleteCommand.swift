import PetCommandLine
import ArgumentParser
import PetEngine
import PetService

struct CompleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete",
    abstract: "Continue a text as it stands, without a chat template.",
    discussion: """
      EXAMPLES
        pet complete --prompt "The capital of France is" --max-tokens 8
        pet complete --prompt "Once upon a time" --temperature 0.8 --seed 7
        pet complete --max-tokens 32 --json < prompt.txt
        pet complete --prompt "A cat called Tom:" --schema Examples/cat.schema.json
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var sampling: SamplingArguments

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

  @Flag(help: "Print one object: text, ids, finish_reason, usage, timings.")
  var json = false

  private struct Report: Encodable {
    let text: String
    let ids: [Int32]
    let finishReason: String
    let usage: UsageReport
    let timings: TimingsReport

    enum CodingKeys: String, CodingKey {
      case text, ids, usage, timings
      case finishReason = "finish_reason"
    }
  }

  func validate() throws {
    if schema != nil, grammar != nil { throw ValidationError("--schema and --grammar are both given; give one") }
  }

  func run() async throws {
    let prompt = try prompt ?? StandardInput.text()
    var options: GenerationOptions
    do {
      options = try GenerationOptions(
        sampling: try sampling.options(temperature: 0), maximumTokens: maxTokens, stopStrings: stops)
    } catch let error as SamplingError {
      throw ValidationError("\(error)")
    }
    let model = try model.load(draft: draft)
    options.grammar = try outputGrammar(for: model)
    let adapter = try adapter.map { try model.loadAdapter(path: $0) }
    try SignalMonitor.shared.start()
    let result = try await SignalMonitor.shared.cancellingOnInterrupt { [json, options] in
      try await model.complete(prompt, options, adapter: adapter) { text in
        if !json { Output.standard.write(Output.standard.safe(text)) }
      }
    }
    try Self.report(result, json: json)
  }

  private func outputGrammar(for model: LanguageModel) throws -> OutputGrammar? {
    guard let path = schema ?? grammar else { return nil }
    // As much as a grammar may have.
    let text = try InputFile.bytes(path, limit: GrammarLimits().sourceBytes)
    do {
      let compiled =
        try schema == nil ? Grammar(gbnf: String(decoding: text, as: UTF8.self)) : Grammar(jsonSchema: text)
      return try model.outputGrammar(compiled)
    } catch let error as GrammarError {
      throw InputError.notAGrammar(path: path, error)
    }
  }

  private static func report(_ result: GenerationResult, json: Bool) throws {
    guard json else { return Output.standard.write("\n") }
    try JSONOutput.write(
      Report(
        text: result.text, ids: result.tokens, finishReason: result.finishReason.rawValue,
        usage: UsageReport(result.usage), timings: TimingsReport(result.timings)))
  }
}
