/// How long something takes, over and over.
struct Measurement: CustomStringConvertible {
  static let runs = 500
  private let milliseconds: [Double]

  /// After ten runs that do not count.
  init(_ body: () throws -> Void) rethrows {
    for _ in 0..<10 { try body() }
    let clock = ContinuousClock()
    milliseconds = try (0..<Self.runs).map { _ in try clock.measure(body).milliseconds }.sorted()
  }

  private func percentile(_ share: Double) -> Double { milliseconds[Int((share * Double(Self.runs)).rounded(.up)) - 1] }

  var description: String {
    [0.5, 0.95, 0.99].map { rounded(percentile($0)) }.joined(separator: " / ")
  }
}

func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
