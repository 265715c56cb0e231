// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes frames of a sound that comes in pieces; the same frames however it is cut.
package struct ProsodyAnalyzer: Sendable {
  private static let frame = 400
  private static let offset = (PitchCandidates.window - frame) / 2
  private static let hertz = Float(Waveform.rate) / Float(PowerSpectrum.size)

  private let pitch = PitchCandidates()
  private let spectrum = PowerSpectrum()
  private let hann = (0..<Self.frame).map { 0.5 - 0.5 * cos(2 * Float.pi * Float($0) / Float(Self.frame)) }
  private var pending: [Float] = []

  package init() {}

  /// Frames that are complete with these samples. About 0.1 ms each.
  package mutating func frames(adding samples: some Collection<Float>) -> [ProsodyFrame] {
    pending.append(contentsOf: samples)
    var made: [ProsodyFrame] = []
    var start = 0
    while start + PitchCandidates.window <= pending.count {
      made.append(frame(pending[start..<(start + PitchCandidates.window)]))
      start += ProsodyFrame.stepSamples
    }
    pending.removeFirst(start)
    return made
  }

  /// `samples`: 640.
  private func frame(_ samples: ArraySlice<Float>) -> ProsodyFrame {
    let middle = samples.dropFirst(Self.offset).prefix(Self.frame)
    let power = middle.reduce(0) { $0 + $1 * $1 } / Float(Self.frame)
    let (candidates, peak) = pitch(samples)
    let powers = spectrum(zip(middle, hann).map { $0 * $1 })
    var (weighted, total, low, high): (Float, Float, Float, Float) = (0, 0, 0, 0)
    for (bin, power) in powers.enumerated() {
      let frequency = Float(bin) * Self.hertz
      let magnitude = power.squareRoot()
      weighted += frequency * magnitude
      total += magnitude
      switch frequency {
      case 50..<1_000: low += power
      case 1_000..<5_000: high += power
      default: break
      }
    }
    return ProsodyFrame(
      energy: 10 * log10(max(power, 1e-10)),
      centroid: total > 0 ? weighted / total : 0,
      tilt: 10 * log10(max(low, 1e-10) / max(high, 1e-10)),
      peak: peak, candidates: candidates)
  }
}
