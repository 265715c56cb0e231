// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct PerplexityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perplexity",
    abstract: "How well a model predicts a text: lower is better.",
    discussion: """
      The text is cut into chunks of --ctx tokens, and the second half of each is scored with the first as its past, as \
      llama.cpp does it. A rest shorter than a chunk is left out.

      EXAMPLES
        pet perplexity essay.txt
        pet perplexity --model model.gguf --ctx 1024 --json essay.txt
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(help: "Tokens per chunk.")
  var ctx: Int = 512

  @Flag(help: "Print one object: perplexity, bits_per_byte, tokens, chunks, ctx.")
  var json = false

  @Argument(help: "A text file, or - for standard input.")
  var file: String

  private struct Report: Encodable {
    let perplexity: Double
    let bitsPerByte: Double
    let tokens: Int
    let chunks: Int
    let ctx: Int

    enum CodingKeys: String, CodingKey {
      case perplexity, tokens, chunks, ctx
      case bitsPerByte = "bits_per_byte"
    }
  }

  func validate() throws {
    guard (8...65_536).contains(ctx) else { throw ValidationError("--ctx is \(ctx); give a number from 8 to 65536") }
  }

  func run() async throws {
    let isPiped = file == "-"
    let text = try isPiped ? StandardInput.bytes() : InputFile.bytes(file)
    let name = isPiped ? "standard input" : file
    InputText.check(text, of: name)
    let model = try model.load()
    let bars = StageBars(ModelConverter.name(of: model.path))
    defer { bars.finish() }
    let result: Perplexity
    do {
      result = try await model.perplexity(of: text, contextLength: ctx) {
        bars.update("measuring", UInt64($0), UInt64($1), unit: .tokens)
      }
    } catch LanguageModelError.textTooShort(let tokens, let needed) {
      throw InputError.tooShort(path: name, tokens: tokens, needed: needed)
    }
    bars.finish()
    try show(
      Report(
        perplexity: result.perplexity, bitsPerByte: result.bitsPerByte, tokens: result.tokens, chunks: result.chunks,
        ctx: ctx))
  }

  private func show(_ report: Report) throws {
    if json { return try JSONOutput.write(report) }
    let rounded = (report.perplexity * 10_000).rounded() / 10_000
    Output.standard.writeLine("perplexity \(rounded) (\(report.chunks) chunks of \(report.ctx) tokens)")
  }
}

extension PerplexityCommand: SealedCommand {
  func seal() throws -> CommandSeal { try model.seal().reading(file == "-" ? nil : file) }
}
