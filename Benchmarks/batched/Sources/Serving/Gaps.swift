// SPDX-License-Identifier: Apache-2.0
/// Times between the pieces of text of replies.
struct Gaps: Encodable {
  let count: Int
  let p50: Double
  let p95: Double
  let longest: Double

  enum CodingKeys: String, CodingKey {
    case count
    case p50 = "p50_ms"
    case p95 = "p95_ms"
    case longest = "max_ms"
  }

  /// Those that end within `window`, of several replies; nil where there are none.
  init?(_ replies: [[ContinuousClock.Instant]], endingIn window: Range<ContinuousClock.Instant>) {
    let gaps = replies.flatMap { times in
      zip(times, times.dropFirst()).filter { window.contains($1) }.map { $0.duration(to: $1) }
    }.sorted()
    guard let longest = gaps.last else { return nil }
    // The shortest that `percent` of them do not exceed: the nearest rank, as in `pet bench`.
    func percentile(_ percent: Int) -> Double {
      gaps[max(1, min((gaps.count * percent + 99) / 100, gaps.count)) - 1].milliseconds
    }
    (count, p50, p95) = (gaps.count, percentile(50), percentile(95))
    self.longest = longest.milliseconds
  }
}

extension Duration {
  /// To a microsecond.
  var milliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
