// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import ArgumentParser
import PetEngine

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast a model reads a prompt (pp), writes a reply (tg), or both in a row (pg).",
    discussion: """
      Medians over the repetitions, after one that is not counted; p50, p95 and p99 are those of single tokens. GB/s are the \
      weights, keys and values that a token of a reply reads, times tokens per second.

      EXAMPLES
        pet bench
        pet bench -p 128,512 -n 128 --threads 1 --json > before.json
        pet bench -p 128,512 -n 128 --threads 1 --compare before.json
        pet bench -p 0 -n 64 --depth 0,1024 --pg 128,64
        pet bench -p 0 -n 64 --parts
        pet bench -p 0 -n 64 --sequences 1,4,16
        pet bench --profile watch
      """)

  @OptionGroup var model: ModelOptions
  @OptionGroup var confinement: ConfinementOptions

  @Option(name: .shortAndLong, help: "Tokens of the prompt; several with commas; 0: not measured.")
  var promptTokens = TokenCounts([128])

  @Option(name: [.customShort("n"), .long], help: "Tokens to generate; several with commas; 0: not measured.")
  var newTokens = TokenCounts([128])

  @Option(name: .customLong("pg"), help: ArgumentHelp("A prompt and the reply to it.", valueName: "PROMPT,REPLY"))
  var mixed: [PromptAndReply] = []

  @Option(name: .shortAndLong, help: "Tokens that are in the context before; several with commas: every test at each.")
  var depth = TokenCounts([0])

  @Option(help: "Replies that are written at once, one token of each per step; several with commas.")
  var sequences = TokenCounts([1])

  @Option(name: .shortAndLong, help: "Repetitions.")
  var repetitions: Int = 5

  @Option(name: .shortAndLong, help: "Tokens of context to reserve; without it, what the tests need.")
  var context: Int?

  @Option(help: ArgumentHelp("A report of --json from before: prints how the rows compare.", valueName: "FILE"))
  var compare: String?

  @Flag(help: "Also show where the time of a reply's token goes, at the first depth.")
  var parts = false

  @Option(name: [.customShort("t")], help: ArgumentHelp("The same as --threads.", visibility: .hidden))
  var t: Int?

  @Flag(
    help: """
      Print one object: model, profile, kernels, rows, load_ms, loaded_rss_mb, rss_mb, peak_rss_mb, kv_cache_mb, parts.
      """)
  var json = false

  func validate() throws {
    guard !tests.isEmpty else {
      throw ValidationError("nothing is to be measured; give -p or -n a number above 0, or a pair to --pg")
    }
    if parts, !newTokens.values.contains(where: { $0 > 0 }) {
      throw ValidationError("--parts is about the tokens of a reply; give -n a number above 0")
    }
    if let count = sequences.values.first(where: { !(1...64).contains($0) }) {
      throw ValidationError("--sequences has \(count); give numbers from 1 to 64")
    }
    for (option, value, range) in [
      ("--repetitions", repetitions, 1...1000), ("-t", t ?? 1, 1...256),
      ("--context", context ?? 1, 1...TokenCounts.range.upperBound),
    ] where !range.contains(value) {
      throw ValidationError("\(option) is \(value); give a number from \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// Every test at each depth, those of length 0 left out.
  var tests: [BenchTest] {
    let replies = newTokens.values.flatMap { count in
      sequences.values.map { BenchTest(reply: count, sequences: $0) }
    }
    let shapes =
      promptTokens.values.map { BenchTest(prompt: $0) } + replies
      + mixed.map { BenchTest(prompt: $0.prompt, reply: $0.reply) }
    return depth.values.flatMap { depth in
      shapes.filter { $0.tokens > 0 }.map {
        BenchTest(prompt: $0.prompt, reply: $0.reply, depth: depth, sequences: $0.sequences)
      }
    }
  }

  func run() throws {
    let earlier = try compare.map(EarlierReport.read)
    let clock = ContinuousClock()
    let start = clock.now
    let settings = try model.resolve()
    let file = try model.file(settings)
    let weights = try TransformerWeights(file: file, layout: .init(settings.weights.value))
    let positions = max(context ?? 1, tests.map(\.positions).max() ?? 1)
    let trained = weights.configuration.contextLength
    guard positions <= trained else {
      throw LanguageModelError.contextTooLong(path: file.path, tokens: positions, trained: trained)
    }
    let transformer = try Transformer(weights, threadCount: t ?? settings.threads.value, variant: model.variant)
    let load = start.duration(to: clock.now)
    weights.waitUntilReady()
    let loaded = ResidentMemory.read()
    let precision = KVCache.Precision(settings.cachePrecision.value)
    let caches = (0..<(tests.map(\.sequences).max() ?? 1)).map { _ in
      KVCache(weights.configuration, capacity: positions, precision: precision)
    }
    let runner = BenchRunner(transformer, caches: caches, repetitions: repetitions)
    var rows = try measure(runner)
    let parts = try parts ? partTimes(runner) : nil
    if let earlier { for index in rows.indices { rows[index].compared = earlier.comparison(rows[index]) } }
    let memory = ResidentMemory.read()
    let report = BenchReport(
      model: file.path, profile: settings.profile.value, kernels: transformer.kernelName, rows: rows,
      load: Rounding.milliseconds(load),
      loaded: Rounding.megabytes(loaded.current), resident: Rounding.megabytes(memory.current),
      peak: Rounding.megabytes(memory.peak),
      cache: Rounding.megabytes(UInt64(positions * caches.count * caches[0].bytesPerPosition)),
      parts: parts, comparedWith: compare)
    try show(report, earlier)
  }

  private func measure(_ runner: BenchRunner) throws(InferenceError) -> [BenchReport.Row] {
    let total = tests.reduce(0) { $0 + runner.work($1) }
    var done = 0
    var rows: [BenchReport.Row] = []
    let bar = ProgressBar("measuring", total: UInt64(total), unit: .tokens)
    defer { bar.finish() }
    for test in tests {
      let times = try runner.measure(test) { more in
        done += more
        bar.update(UInt64(done))
      }
      rows.append(BenchReport.Row(test, times, runner.transformer, runner.caches[0]))
    }
    return rows
  }

  private func partTimes(_ runner: BenchRunner) throws -> TokenParts {
    try runner.parts(depth: depth.values.first ?? 0, tokens: newTokens.values.first { $0 > 0 } ?? 0)
  }

  private func show(_ report: BenchReport, _ earlier: EarlierReport?) throws {
    for (what, now, before) in [
      ("model", report.model, earlier?.model), ("kernels", report.kernels, earlier?.kernels),
    ] {
      if let before, before != now {
        Output.error.tell("pet: the earlier report is of another \(what): \(before)")
      }
    }
    if json { return try JSONOutput.write(report) }
    Output.standard.writeLine(BenchTable(report: report).text)
    if let parts = report.parts { Output.standard.writeLine("\n" + parts.text) }
  }
}

extension BenchCommand: SealedCommand {
  func seal() throws -> CommandSeal { try model.seal().reading(compare) }
}
