// SPDX-License-Identifier: Apache-2.0
import PetRuntime

/// Judges a voice while it speaks: the last three seconds, several times a second. Memory is bounded, however long it
/// runs.
///
/// It learns how the speaker usually speaks as it goes, and holds every later judgement against it.
public struct VocalAffectStream: ~Copyable {
  /// Samples that a judgement looks back on.
  package static let window = 48_000
  /// Whole frames and whole pieces of voice activity: what is forgotten at a time.
  private static let unit = 2_560

  /// How the speaker speaks, as far as heard; keep it for the next stream of the same person.
  public private(set) var baseline: SpeakerBaseline
  private let classifier: VocalAffectClassifier
  private var decoder: SoundDecoder
  private var detector: VoiceActivityDetector
  private var analyzer = ProsodyAnalyzer()
  private var undetected: [Float] = []
  private var probabilities: [Float] = []
  private var frames: [ProsodyFrame] = []
  private var samples: [Float] = []
  private var sinceJudgement = 0
  private var sinceLearning = 0

  /// - Throws: `ClassifierError.invalidInput` where the rate of `format` cannot be converted.
  public init(
    _ classifier: VocalAffectClassifier, format: SoundFormat, baseline: SpeakerBaseline = SpeakerBaseline()
  ) throws(ClassifierError) {
    self.classifier = classifier
    self.baseline = baseline
    decoder = try SoundDecoder(format: format)
    detector = VoiceActivityDetector(weights: classifier.activity)
  }

  /// Samples that are kept now.
  package var held: Int { samples.count }

  /// Samples from one judgement to the next.
  private var interval: Int { Waveform.rate / classifier.rate }

  /// Hears more and judges when it is time; of several judgements the newest is given. O(bytes).
  /// - Throws: `ClassifierError.invalidInput`, also where the bytes are no whole frames of the stream's format.
  public mutating func hear(_ bytes: RawSpan) throws(ClassifierError) -> VocalAffectResult? {
    let format = decoder.format
    guard bytes.byteCount % format.frameSize == 0 else {
      throw .invalidInput("\(bytes.byteCount) bytes are no whole frames of \(format.frameSize)")
    }
    let second = format.rate * format.frameSize
    var start = 0
    while start < bytes.byteCount {
      let end = min(start + second, bytes.byteCount)
      var piece: [Float] = []
      try decoder.decode(bytes.extracting(start..<end), isLast: false, into: &piece)
      try advance(piece)
      start = end
    }
    guard sinceJudgement >= interval else { return nil }
    sinceJudgement %= interval
    return judge()
  }

  private mutating func advance(_ piece: [Float]) throws(ClassifierError) {
    samples += piece
    frames += analyzer.frames(adding: piece)
    undetected += piece
    while undetected.count >= VoiceActivityDetector.piece {
      probabilities.append(try detector.probability(of: undetected.prefix(VoiceActivityDetector.piece)))
      undetected.removeFirst(VoiceActivityDetector.piece)
    }
    sinceJudgement += piece.count
    sinceLearning += piece.count
    let forgotten = max(samples.count - Self.window, 0) / Self.unit
    samples.removeFirst(forgotten * Self.unit)
    frames.removeFirst(forgotten * Self.unit / ProsodyFrame.stepSamples)
    probabilities.removeFirst(forgotten * Self.unit / VoiceActivityDetector.piece)
  }

  private mutating func judge() -> VocalAffectResult {
    let track = VoiceTrack(frames: frames, speechProbabilities: probabilities)
    let result = classifier.judge(track, samples[...], baseline: baseline)
    if case .affect(let affect) = result, sinceLearning >= Self.window {
      sinceLearning = 0
      baseline.add(affect.prosody)
    }
    return result
  }
}
