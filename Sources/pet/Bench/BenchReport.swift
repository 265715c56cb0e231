// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What `pet bench --json` prints. Times in milliseconds, memory in MB of 10^6 bytes.
struct BenchReport: Encodable {
  let model: String
  let profile: Profile
  let kernels: String
  var rows: [Row]
  /// From the opened file to a transformer that can compute.
  let load: Double
  /// Resident after loading, after the last test, and at most.
  let loaded: Double
  let resident: Double
  let peak: Double
  /// Keys and values of the whole context, used or not.
  let cache: Double
  /// Where the time of a token goes, if asked for.
  @OrNull var parts: TokenParts? = nil
  /// The earlier report that the rows were compared with.
  @OrNull var comparedWith: String? = nil

  enum CodingKeys: String, CodingKey {
    case model, profile, kernels, rows, parts
    case load = "load_ms"
    case loaded = "loaded_rss_mb"
    case resident = "rss_mb"
    case peak = "peak_rss_mb"
    case cache = "kv_cache_mb"
    case comparedWith = "compared_with"
  }

  struct Row: Encodable {
    let test: String
    let threads: Int
    /// The median of the repetitions.
    let tokensPerSecond: Double
    let slowest: Double
    let fastest: Double
    /// Of single tokens of the reply, over all repetitions.
    @OrNull var latency: Latency? = nil
    /// From the start of the prompt to the logits behind it, where a reply follows.
    @OrNull var timeToFirstToken: Double? = nil
    /// Weights, keys and values that one token of the reply reads, and how fast they were read.
    @OrNull var bytesPerToken: Int? = nil
    @OrNull var gigabytesPerSecond: Double? = nil
    @OrNull var compared: Comparison? = nil

    enum CodingKeys: String, CodingKey {
      case test, threads, compared
      case tokensPerSecond = "tokens_per_second"
      case slowest = "tokens_per_second_min"
      case fastest = "tokens_per_second_max"
      case latency = "token_ms"
      case timeToFirstToken = "ttft_ms"
      case bytesPerToken = "bytes_per_token"
      case gigabytesPerSecond = "gb_per_second"
    }
  }

  struct Latency: Encodable {
    let p50: Double
    let p95: Double
    let p99: Double
  }

  struct Comparison: Encodable {
    /// What the earlier report has in this row.
    let tokensPerSecond: Double
    /// Now to then: above 1 is faster.
    let ratio: Double

    enum CodingKeys: String, CodingKey {
      case tokensPerSecond = "tokens_per_second"
      case ratio
    }
  }
}

extension BenchReport.Row {
  init(_ test: BenchTest, _ times: BenchRunner.Times, _ transformer: Transformer, _ cache: KVCache) {
    let runs = Distribution(times.runs)
    self.init(
      test: test.name, threads: transformer.threadCount, tokensPerSecond: Self.rate(test.tokens, runs.median),
      slowest: Self.rate(test.tokens, runs.longest), fastest: Self.rate(test.tokens, runs.shortest))
    guard test.reply > 0 else { return }
    let tokens = Distribution(times.tokens)
    latency = .init(
      p50: Rounding.milliseconds(tokens.percentile(50)), p95: Rounding.milliseconds(tokens.percentile(95)),
      p99: Rounding.milliseconds(tokens.percentile(99)))
    if test.prompt > 0 { timeToFirstToken = Rounding.milliseconds(Distribution(times.prompts).median) }
    let seen = test.meanSeen(window: transformer.configuration.slidingWindow)
    // The weights are read once for all sequences.
    let bytes = transformer.weights.bytesReadPerToken / test.sequences + Int(seen * Double(cache.bytesPerPosition))
    bytesPerToken = bytes
    // Over all tokens, not the median one: what the machine gave while it wrote.
    let seconds = times.tokens.reduce(.zero, +) / .seconds(1)
    if seconds > 0 {
      let read = Double(bytes * times.tokens.count * test.sequences)
      gigabytesPerSecond = Rounding.hundredths(read / seconds / 1e9)
    }
  }

  private static func rate(_ tokens: Int, _ time: Duration) -> Double {
    let seconds = time / .seconds(1)
    return seconds > 0 ? Rounding.hundredths(Double(tokens) / seconds) : 0
  }
}

/// Digits that a measurement is worth.
enum Rounding {
  static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
  static func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
  static func milliseconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1000 }
  static func megabytes(_ bytes: UInt64) -> Double { (Double(bytes) / 1e5).rounded() / 10 }
}
