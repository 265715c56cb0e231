// SPDX-License-Identifier: Apache-2.0
/// Durations in ascending order.
package struct Distribution {
  private let sorted: [Duration]

  /// - Precondition: not empty.
  package init(_ values: [Duration]) {
    precondition(!values.isEmpty)
    sorted = values.sorted()
  }

  package var shortest: Duration { sorted[0] }
  package var longest: Duration { sorted[sorted.count - 1] }

  package var median: Duration {
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }

  /// The shortest duration that `percent` of them do not exceed (the nearest-rank definition).
  package func percentile(_ percent: Int) -> Duration {
    let rank = (sorted.count * percent + 99) / 100
    return sorted[max(1, min(rank, sorted.count)) - 1]
  }
}
