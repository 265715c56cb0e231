#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long something takes, over and over: by the clock on the wall, and what this thread computed, which a busy machine
/// changes least.
struct Measurement: CustomStringConvertible {
  static let runs = 500
  private var elapsed: [Double] = []
  private var computed: [Double] = []

  /// After ten runs that do not count.
  init(_ body: () throws -> Void) rethrows {
    for _ in 0..<10 { try body() }
    let clock = ContinuousClock()
    for _ in 0..<Self.runs {
      let start = Self.threadMilliseconds()
      elapsed.append(try clock.measure(body).milliseconds)
      computed.append(Self.threadMilliseconds() - start)
    }
  }

  private static func threadMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private static func percentiles(_ values: [Double]) -> String {
    let sorted = values.sorted()
    return [0.5, 0.95, 0.99].map { rounded(sorted[Int(($0 * Double(sorted.count)).rounded(.up)) - 1]) }
      .joined(separator: " / ")
  }

  var description: String { "\(Self.percentiles(elapsed)) ms, computing \(Self.percentiles(computed))" }
}

func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

extension Duration {
  var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }
}
