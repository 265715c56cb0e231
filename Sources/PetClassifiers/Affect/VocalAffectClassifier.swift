// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

/// Judges how a voice sounds: voice activity, prosody, then rules. `high` hears melody, loudness, rhythm and timbre, 10
/// times a second; `medium` the same without jitter and shimmer, 5 times; `low` melody, loudness and rhythm, 2 times.
/// Weights are shared by copies.
public struct VocalAffectClassifier: Sendable {
  /// Seconds of speech, and of those voiced, below which nothing is said.
  package static let leastSpeech: Float = 0.3
  package static let leastVoiced: Float = 0.15

  public let quality: ModelQuality
  package let activity: VoiceActivityWeights

  /// - Throws: `ClassifierError.invalidModel` and what the source throws.
  package init(_ source: some TensorSource, quality: ModelQuality) throws {
    self.quality = quality
    activity = try VoiceActivityWeights(source)
  }

  /// - Parameter file: `vocal-affect.gguf`.
  /// - Throws: `ClassifierError.invalidModel`.
  package init(_ file: GGUFFile, quality: ModelQuality) throws {
    let weights = GGUFWeights(file)
    try weights.require(architecture: "pet-vocal-affect")
    try self.init(weights, quality: quality)
  }

  /// Judgements per second that a stream makes: 10, 5 or 2.
  public var rate: Int {
    switch quality {
    case .high: 10
    case .medium: 5
    case .low: 2
    }
  }

  /// Judges a whole sound. About 10 ms for each second of it.
  /// - Parameter baseline: how the speaker usually speaks, where known.
  /// - Throws: `ClassifierError.invalidInput`.
  public func classify(_ sound: Waveform, baseline: SpeakerBaseline? = nil) throws(ClassifierError) -> VocalAffectResult
  {
    judge(try track(sound), sound.samples[...], baseline: baseline)
  }

  /// Measures a whole sound along time.
  package func track(_ sound: Waveform) throws(ClassifierError) -> VoiceTrack {
    let piece = VoiceActivityDetector.piece
    var detector = VoiceActivityDetector(weights: activity)
    var probabilities: [Float] = []
    for start in stride(from: 0, to: sound.samples.count, by: piece) {
      let samples = sound.samples[start..<min(start + piece, sound.samples.count)]
      let missing = [Float](repeating: 0, count: piece - samples.count)
      probabilities.append(try detector.probability(of: missing.isEmpty ? samples : samples + missing))
    }
    var analyzer = ProsodyAnalyzer()
    return VoiceTrack(frames: analyzer.frames(adding: sound.samples), speechProbabilities: probabilities)
  }

  /// `samples` begin where the track does.
  package func judge(_ track: VoiceTrack, _ samples: ArraySlice<Float>, baseline: SpeakerBaseline?) -> VocalAffectResult
  {
    let prosody = ProsodySummary(track, samples: quality == .high ? samples : nil)
    guard let prosody, prosody.speechSeconds >= Self.leastSpeech, prosody.voicedSeconds >= Self.leastVoiced else {
      return .noSpeech(
        speechSeconds: prosody?.speechSeconds ?? track.speechSeconds, voicedSeconds: prosody?.voicedSeconds ?? 0)
    }
    return .affect(AffectRules.affect(prosody, baseline: baseline, usesTimbre: quality != .low))
  }
}
