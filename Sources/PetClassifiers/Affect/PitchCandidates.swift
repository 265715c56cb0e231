// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the pitch at one time may be.
package struct PitchCandidate: Sendable, Equatable {
  /// Hz; 0 for a voiceless moment.
  package var frequency: Float
  /// The autocorrelation of the periodic part, 0 to 1.
  package var strength: Float
}

/// Finds the candidates for the pitch of a window: peaks of its autocorrelation, divided by that of the window
/// function.
///
/// Source: P. Boersma, "Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio of a
/// sampled sound", IFA Proceedings 17 (1993), steps 3.1 to 3.11.
package struct PitchCandidates: Sendable {
  /// Hz.
  package static let floor: Float = 75
  package static let ceiling: Float = 600
  /// Three periods of the lowest pitch.
  package static let window = 640
  /// Samples around the middle of a window from which its mean is taken (two of those periods), and its peak (one): the
  /// window itself reaches into louder and quieter neighbours.
  private static let meanPart = 107..<533
  private static let peakPart = 213..<427
  private static let most = 14
  /// Half of what a voice needs (`PitchPath`): weaker peaks never win.
  private static let leastStrength: Float = 0.225

  private let hann: [Float]
  private let correlationOfWindow: [Float]
  private let lags: ClosedRange<Int>

  package init() {
    let hann = (0..<Self.window).map { 0.5 - 0.5 * cos(2 * Float.pi * (Float($0) + 0.5) / Float(Self.window)) }
    let rate = Float(Waveform.rate)
    self.hann = hann
    lags = Int(rate / Self.ceiling)...Int((rate / Self.floor).rounded(.up))
    correlationOfWindow = Self.autocorrelation(hann, to: lags.upperBound + 1)
  }

  /// Candidates with a pitch, at most 14, strongest first, and how far the samples in the middle swing from their mean.
  /// O(window x lags). `samples`: 640.
  package func callAsFunction(_ samples: ArraySlice<Float>) -> (candidates: [PitchCandidate], peak: Float) {
    let first = samples.startIndex
    func part(_ range: Range<Int>) -> ArraySlice<Float> {
      samples[(first + range.lowerBound)..<(first + range.upperBound)]
    }
    let mean = part(Self.meanPart).reduce(0, +) / Float(Self.meanPart.count)
    let peak = part(Self.peakPart).reduce(0) { max($0, abs($1 - mean)) }
    let raw = Self.autocorrelation(zip(samples, hann).map { ($0 - mean) * $1 }, to: lags.upperBound + 1)
    return raw[0] > 0 ? (candidates(raw), peak) : ([], peak)
  }

  private func candidates(_ raw: [Float]) -> [PitchCandidate] {
    let correlation = zip(raw, correlationOfWindow).map { $0 / raw[0] * correlationOfWindow[0] / $1 }
    var found: [PitchCandidate] = []
    for lag in lags where correlation[lag] > Self.leastStrength {
      let (left, middle, right) = (correlation[lag - 1], correlation[lag], correlation[lag + 1])
      guard middle > left, middle >= right else { continue }
      let peak = Parabola.peak(left, middle, right)
      let frequency = Float(Waveform.rate) / (Float(lag) + peak.offset)
      guard (Self.floor...Self.ceiling).contains(frequency) else { continue }
      // Noise in a short window may give more than 1: reflected, as in the source.
      let strength = peak.height > 1 ? 1 / peak.height : peak.height
      found.append(PitchCandidate(frequency: frequency, strength: strength))
    }
    return Array(found.sorted { $0.strength > $1.strength }.prefix(Self.most))
  }

  private static func autocorrelation(_ samples: [Float], to last: Int) -> [Float] {
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return [] }
      return (0...last).map { innerProduct(base, base + $0, count: samples.count - $0) }
    }
  }
}
