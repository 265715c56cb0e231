// SPDX-License-Identifier: Apache-2.0
import Histogram

/// Latencies of the last inferences, in a memory that does not grow: three slices of an HDR histogram (http://hdrhistogram.org) with two
/// digits, from a microsecond to ten minutes, of which the oldest is emptied when the newest is full.
package struct LatencyWindow: Sendable {
  /// Inferences of a slice.
  package static let sliceCount = 64
  /// After which a slice ends, however few it has.
  static let sliceTime = Duration.seconds(600)
  private static let longest: UInt64 = 600_000_000

  private struct Slice: Sendable {
    var latencies = LatencyWindow.empty
    var sum: UInt64 = 0
    var kept = 0
    var count = 0
    var begin = Duration.zero
  }

  private var slices = [Slice(), Slice(), Slice()]
  private var current = 0

  package init() {}

  private static var empty: Histogram<UInt32> {
    Histogram<UInt32>(highestTrackableValue: longest, numberOfSignificantValueDigits: .two)
  }

  /// - Parameters:
  ///   - microseconds: more than ten minutes count as ten minutes.
  ///   - time: since a fixed moment.
  package mutating func record(_ microseconds: UInt64, isKept: Bool, at time: Duration) {
    if slices[current].count == 0 { slices[current].begin = time }
    if slices[current].count == Self.sliceCount || time - slices[current].begin > Self.sliceTime {
      current = (current + 1) % slices.count
      slices[current].latencies.reset()
      (slices[current].sum, slices[current].kept, slices[current].count) = (0, 0, 0)
      slices[current].begin = time
    }
    let value = min(microseconds, Self.longest)
    slices[current].latencies.record(value)
    slices[current].sum &+= value
    slices[current].count += 1
    if isKept { slices[current].kept += 1 }
  }

  /// - Complexity: O(buckets): some microseconds.
  package func summary(at time: Duration) -> Summary {
    var merged = Self.empty
    var summary = Summary()
    var (sum, kept): (UInt64, Int) = (0, 0)
    for slice in slices where slice.count > 0 && time - slice.begin <= Self.sliceTime * slices.count {
      merged.add(slice.latencies)
      sum &+= slice.sum
      kept += slice.kept
      summary.count += slice.count
    }
    guard summary.count > 0 else { return summary }
    summary.mean = sum / UInt64(summary.count)
    summary.compliance = Double(kept) / Double(summary.count)
    (summary.p50, summary.p95, summary.p99) = (
      merged.valueAtPercentile(50), merged.valueAtPercentile(95), merged.valueAtPercentile(99)
    )
    return summary
  }

  /// In microseconds.
  package struct Summary: Sendable, Equatable {
    package var count = 0
    package var mean: UInt64 = 0
    package var p50: UInt64 = 0
    package var p95: UInt64 = 0
    package var p99: UInt64 = 0
    /// 0 to 1
    package var compliance = 0.0

    package init(
      count: Int = 0, mean: UInt64 = 0, p50: UInt64 = 0, p95: UInt64 = 0, p99: UInt64 = 0, compliance: Double = 0
    ) {
      (self.count, self.mean) = (count, mean)
      (self.p50, self.p95, self.p99) = (p50, p95, p99)
      self.compliance = compliance
    }
  }
}
