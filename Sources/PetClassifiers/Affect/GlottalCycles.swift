// SPDX-License-Identifier: Apache-2.0
/// How evenly the voice swings: differences between neighbouring periods (jitter) and their heights (shimmer).
///
/// Periods are followed as in Praat's "To PointProcess (cc)": from the highest swing of a voiced stretch outward, each
/// at the lag where the wave resembles itself most. Source: P. Boersma and D. Weenink, Praat manual; I. Titze,
/// "Principles of Voice Production".
package struct GlottalCycles {
  /// Mean absolute difference between neighbouring periods, as a part of the mean period; nil without ten periods.
  package let jitter: Float?
  /// The same of the heights.
  package let shimmer: Float?

  private static let leastCycles = 10
  /// Periods out of range, or unlike their neighbours by more than this, do not belong together.
  private static let periods: ClosedRange<Float> = 0.0001...0.02
  private static let mostPeriodRatio: Float = 1.3
  private static let mostHeightRatio: Float = 1.6
  /// Correlation below which the voice does not go on.
  private static let leastSimilarity: Float = 0.3

  /// `samples` begin at the window of the first of `pitches`. O(samples).
  package init(_ samples: ArraySlice<Float>, pitches: ArraySlice<Float?>) {
    let wave = Array(samples)
    let pitches = Array(pitches)
    var jitters = Deviation()
    var shimmers = Deviation()
    var first = 0
    while first < pitches.count {
      guard pitches[first] != nil else {
        first += 1
        continue
      }
      let last = pitches[first...].firstIndex { $0 == nil } ?? pitches.count
      let pulses = Self.pulses(wave, Array(pitches[first..<last].compactMap(\.self)), from: first)
      Self.compare(pulses, wave, &jitters, &shimmers)
      first = last
    }
    jitter = jitters.ratio(least: Self.leastCycles)
    shimmer = shimmers.ratio(least: Self.leastCycles)
  }

  /// Moments of the swings of one voiced stretch, in samples, ascending. A `Float` would be whole after minutes.
  private static func pulses(_ wave: [Float], _ pitches: [Float], from first: Int) -> [Double] {
    let step = ProsodyFrame.stepSamples
    let start = first * step + ProsodyFrame.halfWindow - step / 2
    let end = min(start + pitches.count * step, wave.count)
    guard start < end else { return [] }
    func period(_ position: Double) -> Double {
      let index = Int((position - Double(start)) / Double(step))
      return Double(Waveform.rate) / Double(pitches[min(max(index, 0), pitches.count - 1)])
    }
    let middle = (start + end) / 2
    let reach = Int(period(Double(middle)) / 2)
    let around = max(start, middle - reach)..<min(end, middle + reach + 1)
    guard let highest = around.max(by: { abs(wave[$0]) < abs(wave[$1]) }) else { return [] }
    func follow(_ direction: Double) -> [Double] {
      var found: [Double] = []
      var position = Double(highest)
      while true {
        let length = period(position)
        guard let next = resembling(wave, position, length, direction), next >= Double(start), next < Double(end) else {
          return found
        }
        found.append(next)
        position = next
      }
    }
    return follow(-1).reversed() + [Double(highest)] + follow(1)
  }

  /// The moment about one period away around which the wave is most like that around `position`.
  private static func resembling(
    _ wave: [Float], _ position: Double, _ period: Double, _ direction: Double
  ) -> Double? {
    let half = Int(period / 2)
    let center = Int(position.rounded())
    let nearest = Int(period * 0.8)
    let farthest = Int((period * 1.25).rounded(.up))
    guard half > 0, center - half >= 0, center + half < wave.count else { return nil }
    var similarities: [Float] = []
    for lag in nearest...farthest {
      let other = center + (direction > 0 ? lag : -lag)
      guard other - half >= 0, other + half < wave.count else { return nil }
      similarities.append(similarity(wave, center - half, other - half, count: 2 * half))
    }
    let mostAlike = similarities.indices.max { similarities[$0] < similarities[$1] }
    guard let best = mostAlike, similarities[best] > leastSimilarity else { return nil }
    var lag = Double(nearest + best)
    if best > 0, best + 1 < similarities.count {
      lag += Double(Parabola.peak(similarities[best - 1], similarities[best], similarities[best + 1]).offset)
    }
    return position + direction * lag
  }

  private static func similarity(_ wave: [Float], _ left: Int, _ right: Int, count: Int) -> Float {
    wave.withUnsafeBufferPointer { wave in
      guard let base = wave.baseAddress else { return 0 }
      let product = innerProduct(base + left, base + right, count: count)
      let energies =
        innerProduct(base + left, base + left, count: count) * innerProduct(base + right, base + right, count: count)
      return energies > 0 ? product / energies.squareRoot() : 0
    }
  }

  private static func compare(
    _ pulses: [Double], _ wave: [Float], _ jitters: inout Deviation, _ shimmers: inout Deviation
  ) {
    guard pulses.count > 2 else { return }
    let periods = zip(pulses.dropFirst(), pulses).map { Float(($0 - $1) / Double(Waveform.rate)) }
    let heights = zip(pulses.dropFirst(), pulses).map { next, pulse in
      height(wave, around: (pulse + next) / 2, next - pulse)
    }
    for index in periods.indices.dropFirst() {
      let pair = (periods[index - 1], periods[index])
      guard Self.periods.contains(pair.0), Self.periods.contains(pair.1) else { continue }
      guard ratio(pair) <= mostPeriodRatio else { continue }
      jitters.add(pair)
      let swings = (heights[index - 1], heights[index])
      if ratio(swings) <= mostHeightRatio { shimmers.add(swings) }
    }
  }

  /// Root mean square of one period.
  private static func height(_ wave: [Float], around middle: Double, _ period: Double) -> Float {
    let range = max(0, Int(middle - period / 2))..<min(wave.count, Int(middle + period / 2) + 1)
    guard !range.isEmpty else { return 0 }
    return (wave[range].reduce(0) { $0 + $1 * $1 } / Float(range.count)).squareRoot()
  }

  private static func ratio(_ pair: (Float, Float)) -> Float {
    let least = min(pair.0, pair.1)
    return least > 0 ? max(pair.0, pair.1) / least : .infinity
  }

  /// Mean absolute difference of neighbours over their mean.
  private struct Deviation {
    private var differences: Float = 0
    private var values: Float = 0
    private var count = 0

    mutating func add(_ pair: (Float, Float)) {
      differences += abs(pair.0 - pair.1)
      values += (pair.0 + pair.1) / 2
      count += 1
    }

    func ratio(least: Int) -> Float? { count >= least && values > 0 ? differences / values : nil }
  }
}
