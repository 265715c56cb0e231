import ArgumentParser
import Glibc
import PetEngine

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast a model reads a prompt (pp) and writes a reply (tg).",
    discussion: """
      Medians over the repetitions, after one that is not counted.

      EXAMPLES
        pet bench
        pet bench -p 512 -n 128 --threads 1 --json
      """)

  @OptionGroup var model: ModelOptions

  @Option(name: .shortAndLong, help: "Tokens of the prompt; 0: not measured.")
  var promptTokens: Int = 128

  @Option(name: [.customShort("n"), .long], help: "Tokens to generate; 0: not measured.")
  var newTokens: Int = 128

  @Option(name: .shortAndLong, help: "Repetitions.")
  var repetitions: Int = 5

  @Option(name: [.customShort("t")], help: ArgumentHelp("The same as --threads.", visibility: .hidden))
  var t: Int?

  @Flag(help: "Print one object: rows, load_ms, peak_rss_mb.")
  var json = false

  private struct Row: Encodable {
    let test: String
    let threads: Int
    let tokensPerSecond: Double

    enum CodingKeys: String, CodingKey {
      case test, threads
      case tokensPerSecond = "tokens_per_second"
    }
  }

  private struct Report: Encodable {
    let model: String
    let kernels: String
    let rows: [Row]
    let loadMilliseconds: Double
    let peakMegabytes: Double

    enum CodingKeys: String, CodingKey {
      case model, kernels, rows
      case loadMilliseconds = "load_ms"
      case peakMegabytes = "peak_rss_mb"
    }
  }

  func validate() throws {
    for (option, value, range) in [
      ("--prompt-tokens", promptTokens, 0...1_000_000), ("--new-tokens", newTokens, 0...1_000_000),
      ("--repetitions", repetitions, 1...1000), ("-t", t ?? 1, 1...256),
    ] where !range.contains(value) {
      throw ValidationError("\(option) is \(value); give a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  func run() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let file = try model.file()
    let threads = t ?? model.threadCount()
    let weights = try TransformerWeights(file: file, layout: .interleaved)
    let trained = weights.configuration.contextLength
    guard max(promptTokens, newTokens) <= trained else {
      throw InputError.beyondContext(path: file.path, asked: max(promptTokens, newTokens), trained: trained)
    }
    let transformer = try Transformer(weights, threadCount: threads, variant: model.variant)
    let load = start.duration(to: clock.now)
    weights.waitUntilReady()
    let cache = try KVCache(weights.configuration, capacity: max(promptTokens, newTokens, 1))
    var rows: [Row] = []
    if promptTokens > 0 {
      let prompt = tokens(promptTokens, vocabulary: weights.configuration.vocabularySize)
      rows.append(
        try measure("pp\(promptTokens)", promptTokens, transformer) {
          cache.truncate(to: 0)
          try transformer.forward(prompt[...], cache: cache)
        })
    }
    if newTokens > 0 {
      let reply = tokens(newTokens, vocabulary: weights.configuration.vocabularySize)
      rows.append(
        try measure("tg\(newTokens)", newTokens, transformer) {
          cache.truncate(to: 0)
          for index in reply.indices { try transformer.forward(reply[index...index], cache: cache) }
        })
    }
    try show(
      Report(
        model: file.path, kernels: transformer.kernelName, rows: rows,
        loadMilliseconds: TimingsReport.tenths(load / .milliseconds(1)), peakMegabytes: Self.peakMegabytes()))
  }

  private func show(_ report: Report) throws {
    if json { return try JSONOutput.write(report) }
    var table = TextTable(["test", "threads", "tokens/s"])
    for row in report.rows { table.add([row.test, "\(row.threads)", "\(row.tokensPerSecond)"]) }
    Output.standard.writeLine(table.text)
    Output.standard.writeLine(
      "\(report.kernels) kernels, loaded in \(report.loadMilliseconds) ms, at most \(report.peakMegabytes) MB resident")
  }

  /// Any tokens do: speed does not depend on them.
  private func tokens(_ count: Int, vocabulary: Int) -> [Int32] {
    (0..<count).map { Int32(truncatingIfNeeded: ($0 * 7919 + 13) % vocabulary) }
  }

  private func measure(_ test: String, _ count: Int, _ transformer: Transformer, _ body: () throws -> Void) throws
    -> Row
  {
    let clock = ContinuousClock()
    try body()
    let times = try (0..<repetitions).map { _ in try clock.measure(body) }.sorted()
    let median = times[times.count / 2] / .seconds(1)
    return Row(
      test: test, threads: transformer.threadCount,
      tokensPerSecond: median > 0 ? TimingsReport.tenths(Double(count) / median) : 0)
  }

  private static func peakMegabytes() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return TimingsReport.tenths(Double(usage.ru_maxrss) * 1024 / 1e6)
  }
}
