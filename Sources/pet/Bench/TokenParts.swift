// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// Where the time of a reply's tokens goes.
struct TokenParts: Encodable {
  struct Row: Encodable {
    let part: String
    let microseconds: Double
    /// Of the token, from 0 to 1.
    let share: Double
    /// What the part reads of weights, keys and values.
    @OrNull var bytes: Int?
    @OrNull var gigabytesPerSecond: Double?

    enum CodingKeys: String, CodingKey {
      case part, share
      case microseconds = "us_per_token"
      case bytes = "bytes_per_token"
      case gigabytesPerSecond = "gb_per_second"
    }
  }

  /// Tokens in the context before the first, and tokens that were written.
  let depth: Int
  let tokens: Int
  let rows: [Row]

  /// - Parameters:
  ///   - times: of all tokens, in the order to show; with the bytes that one token reads.
  ///   - whole: of all tokens, with what belongs to no part.
  init(depth: Int, tokens: Int, whole: Duration, times: [(name: String, time: Duration, bytes: Int)]) {
    self.depth = depth
    self.tokens = tokens
    let rest = whole - times.reduce(.zero) { $0 + $1.time }
    rows = (times + [("everything else", rest, 0), ("a token", whole, times.reduce(0) { $0 + $1.bytes })]).map {
      let seconds = $0.time / .seconds(1) / Double(tokens)
      return Row(
        part: $0.name, microseconds: Rounding.hundredths(seconds * 1e6), share: ($0.time / whole * 1e4).rounded() / 1e4,
        bytes: $0.bytes > 0 ? $0.bytes : nil,
        gigabytesPerSecond: $0.bytes > 0 && seconds > 0 ? Rounding.hundredths(Double($0.bytes) / seconds / 1e9) : nil)
    }
  }

  /// A table for people.
  var text: String {
    var table = TextTable(["part of a token", "us", "%", "read", "GB/s"])
    for row in rows {
      table.add([
        row.part, "\(row.microseconds)", "\(Rounding.hundredths(row.share * 100))",
        row.bytes.map { ByteCount.text(UInt64($0)) } ?? "-", row.gigabytesPerSecond.map { "\($0)" } ?? "-",
      ])
    }
    return "\(tokens) tokens behind \(depth), sampled at temperature 0.8:\n\(table.text)"
  }
}

extension BenchRunner {
  /// Writes `tokens` tokens behind `depth` others and takes the time of each part.
  func parts(depth: Int, tokens: Int) throws -> TokenParts {
    let cache = caches[0]
    try fill(cache, to: depth) { _ in }
    var sampler = try Sampler(.init(temperature: 0.8))
    var sampling = Duration.zero
    transformer.startProfile()
    let start = clock.now
    for index in 0..<tokens {
      try transformer.forward([token(index)][...], cache: cache)
      let drawing = clock.now
      _ = try sampler.sample(UnsafeBufferPointer(transformer.logits), history: [])
      sampling += drawing.duration(to: clock.now)
    }
    let whole = start.duration(to: clock.now)
    let profile = transformer.endProfile()
    let seen = BenchTest(reply: tokens, depth: depth).meanSeen(window: transformer.configuration.slidingWindow)
    let cached = Int(seen * Double(cache.bytesPerPosition))
    let weights = transformer.weights
    return TokenParts(
      depth: depth, tokens: tokens, whole: whole,
      times: PassProfile.Part.allCases.map {
        ($0.name, profile[$0], $0 == .attention ? cached : weights.bytesReadPerToken(by: $0))
      } + [("sampling", sampling, 0)])
  }
}

extension PassProfile.Part {
  var name: String {
    switch self {
    case .embedding: "embedding row"
    case .norms: "sums and norms"
    case .queryKeyValue: "query, key, value"
    case .rotaryAndCache: "rotary, cache"
    case .attention: "attention"
    case .attentionOutput: "attention output"
    case .gateUp: "gate, up, SwiGLU"
    case .down: "down"
    case .output: "output"
    }
  }
}
