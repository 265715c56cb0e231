// SPDX-License-Identifier: Apache-2.0
/// The sum of what was added in the last half hour, to the minute, in a memory that does not grow.
package struct MinuteSums: Sendable, Equatable {
  private static let minutes = 30

  private var sums = [Double](repeating: 0, count: minutes)
  private var latest: Int64 = 0

  package init() {}

  package mutating func add(_ value: Double, at time: Duration) {
    advance(to: time)
    sums[Int(latest % Int64(Self.minutes))] += value
  }

  package func total(at time: Duration) -> Double {
    var copy = self
    copy.advance(to: time)
    return copy.sums.reduce(0, +)
  }

  private mutating func advance(to time: Duration) {
    let minute = max(0, time.components.seconds / 60)
    guard minute > latest else { return }
    for passed in 0..<min(Int64(Self.minutes), minute - latest) {
      sums[Int((minute - passed) % Int64(Self.minutes))] = 0
    }
    latest = minute
  }
}
