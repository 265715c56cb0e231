// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How somebody spoke: measures over the speech of a sound. Voice and manner, no words.
public struct ProsodySummary: Sendable, Equatable, Encodable {
  /// Seconds of speech, and of those the voiced ones.
  public var speechSeconds: Float
  public var voicedSeconds: Float
  /// Median pitch in Hz.
  public var pitch: Float
  /// From the 20th to the 80th percentile of pitch, in semitones.
  public var pitchRange: Float
  /// Mean absolute change of pitch within voiced stretches, in semitones per second.
  public var pitchMovement: Float
  /// Mean energy of voiced frames in dB of full scale, and its standard deviation.
  public var energy: Float
  public var energySpread: Float
  /// Syllables per second of speech.
  public var rate: Float
  /// Voiced part of speech, 0 to 1.
  public var voicedPart: Float
  /// Mean centroid of voiced frames in Hz, and mean tilt in dB.
  public var centroid: Float
  public var tilt: Float
  /// Harmonics to noise of voiced frames in dB.
  public var harmonicity: Float
  /// Unevenness of periods and of their heights, parts of 1; nil for too few periods.
  public var jitter: Float?
  public var shimmer: Float?

  private enum CodingKeys: String, CodingKey {
    case pitch, energy, rate, centroid, tilt, harmonicity, jitter, shimmer
    case speechSeconds = "speech_seconds"
    case voicedSeconds = "voiced_seconds"
    case voicedPart = "voiced_part"
    case pitchRange = "pitch_range"
    case pitchMovement = "pitch_movement"
    case energySpread = "energy_spread"
  }

  /// Pitch in semitones above 100 Hz.
  public var pitchInSemitones: Float { 12 * log2(pitch / 100) }

  /// Summarises the speech of a track; nil where none of it is voiced. `samples` begin where the track does; without
  /// them there is neither jitter nor shimmer.
  package init?(_ track: VoiceTrack, samples: ArraySlice<Float>?) {
    let frames = track.frames
    let pitches = track.pitches
    let isSpeech = Self.mask(count: frames.count, track.speech)
    let speech = frames.indices.filter { isSpeech[$0] }
    let voiced = speech.filter { pitches[$0] != nil }
    let sorted = voiced.compactMap { pitches[$0] }.sorted()
    guard !sorted.isEmpty else { return nil }
    let step = ProsodyFrame.step
    speechSeconds = Float(speech.count) * step
    voicedSeconds = Float(voiced.count) * step
    voicedPart = voicedSeconds / speechSeconds
    pitch = Self.percentile(sorted, 0.5)
    pitchRange = 12 * log2(Self.percentile(sorted, 0.8) / Self.percentile(sorted, 0.2))
    let changes = zip(voiced, voiced.dropFirst()).compactMap { left, right -> Float? in
      guard right == left + 1, let before = pitches[left], let after = pitches[right] else { return nil }
      return abs(12 * log2(after / before))
    }
    pitchMovement = changes.isEmpty ? 0 : Self.mean(changes) / step
    let energies = voiced.map { frames[$0].energy }
    let average = Self.mean(energies)
    energy = average
    energySpread = Self.mean(energies.map { ($0 - average) * ($0 - average) }).squareRoot()
    let nuclei = SyllableNuclei.find(speech.map { frames[$0].energy }, isVoiced: speech.map { pitches[$0] != nil })
    rate = Float(nuclei.count) / speechSeconds
    centroid = Self.mean(voiced.map { frames[$0].centroid })
    tilt = Self.mean(voiced.map { frames[$0].tilt })
    harmonicity = Self.mean(voiced.map { Self.harmonicity(frames[$0], pitches[$0] ?? 0) })
    let cycles = samples.map { samples in
      GlottalCycles(samples, pitches: pitches.indices.map { isSpeech[$0] ? pitches[$0] : nil }[...])
    }
    jitter = cycles?.jitter
    shimmer = cycles?.shimmer
  }

  /// Whether the middle of each frame lies in a segment.
  private static func mask(count: Int, _ segments: [Range<Int>]) -> [Bool] {
    var mask = [Bool](repeating: false, count: count)
    /// The first frame whose middle is not before `position`.
    func frame(_ position: Int) -> Int {
      let step = ProsodyFrame.stepSamples
      return min(max((position - ProsodyFrame.halfWindow + step - 1) / step, 0), count)
    }
    for segment in segments {
      for index in frame(segment.lowerBound)..<frame(segment.upperBound) { mask[index] = true }
    }
    return mask
  }

  private static func harmonicity(_ frame: ProsodyFrame, _ pitch: Float) -> Float {
    let strength = frame.candidates.first { $0.frequency == pitch }?.strength ?? 0
    let periodic = min(max(strength, 0.001), 0.999_99)
    return 10 * log10(periodic / (1 - periodic))
  }

  package static func percentile(_ sorted: [Float], _ part: Float) -> Float {
    let position = part * Float(sorted.count - 1)
    let index = min(Int(position), sorted.count - 1)
    let next = min(index + 1, sorted.count - 1)
    return sorted[index] + (position - Float(index)) * (sorted[next] - sorted[index])
  }

  private static func mean(_ values: [Float]) -> Float {
    values.isEmpty ? 0 : values.reduce(0, +) / Float(values.count)
  }
}
