import ArgumentParser
import Glibc
import PetEngine
import Synchronization

struct PerplexityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perplexity",
    abstract: "How well a model predicts a text: lower is better.",
    discussion: """
      The text is cut into chunks of --ctx tokens, and the second half of each is scored with the first as its past, as
      llama.cpp does it. A rest shorter than a chunk is left out.

      EXAMPLES
        pet perplexity essay.txt
        pet perplexity --model model.gguf --ctx 1024 --json essay.txt
      """)

  @OptionGroup var model: ModelOptions

  @Option(help: "Tokens per chunk.")
  var ctx: Int = 512

  @Flag(help: "Print one object: perplexity, tokens, chunks, ctx.")
  var json = false

  @Argument(help: "A text file.")
  var file: String

  private struct Report: Encodable {
    let perplexity: Double
    let tokens: Int
    let chunks: Int
    let ctx: Int
  }

  func validate() throws {
    guard (8...65_536).contains(ctx) else { throw ValidationError("--ctx is \(ctx); give a number from 8 to 65536") }
  }

  func run() async throws {
    let text = try InputFile.bytes(file)
    let model = try model.load()
    guard ctx <= model.configuration.contextLength else {
      throw InputError.beyondContext(path: model.path, asked: ctx, trained: model.configuration.contextLength)
    }
    let tokens = try model.tokenizer.encode(text, addingBoundaries: true)
    let chunks = tokens.count / ctx
    guard chunks > 0 else { throw InputError.tooShort(path: file, tokens: tokens.count, needed: ctx) }
    let bar = ProgressBar(
      "perplexity", total: UInt64(chunks * ctx), unit: .tokens)
    defer { bar.finish() }
    let loss = Mutex((sum: 0.0, count: 0))
    for chunk in 0..<chunks {
      var window = Array(tokens[chunk * ctx..<(chunk + 1) * ctx])
      let truth = window
      // Every chunk is a text of its own, so it begins as one.
      if model.tokenizer.roles.addsBeginOfSequence, let begin = model.tokenizer.roles.beginOfSequence {
        window[0] = Int32(begin)
      }
      let (first, last) = (ctx / 2, ctx - 1)
      try await model.eachLogits(window) { index, logits in
        guard index >= first, index < last else { return }
        let surprise = Self.surprise(logits, truth[index + 1])
        loss.withLock { $0 = ($0.sum + surprise, $0.count + 1) }
        bar.update(UInt64(chunk * truth.count + index))
      }
    }
    let (sum, count) = loss.withLock { $0 }
    bar.finish()
    guard sum.isFinite else { throw SamplingError.notANumber }
    try show(Report(perplexity: exp(sum / Double(count)), tokens: tokens.count, chunks: chunks, ctx: ctx))
  }

  private func show(_ report: Report) throws {
    if json { return try JSONOutput.write(report) }
    let rounded = (report.perplexity * 10_000).rounded() / 10_000
    Output.standard.writeLine("perplexity \(rounded) (\(report.chunks) chunks of \(report.ctx) tokens)")
  }

  /// -log softmax(logits)[token]
  private static func surprise(_ logits: UnsafeBufferPointer<Float>, _ token: Int32) -> Double {
    let peak = logits.reduce(-Float.infinity) { max($0, $1) }
    let sum = logits.reduce(0.0) { $0 + exp(Double($1 - peak)) }
    return log(sum) - Double(logits[Int(token)] - peak)
  }
}
