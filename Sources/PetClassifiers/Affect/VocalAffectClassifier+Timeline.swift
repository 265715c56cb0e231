// SPDX-License-Identifier: Apache-2.0
extension VocalAffectClassifier {
  /// What is said of a sound while it goes on.
  package struct Judgement: Sendable, Equatable {
    /// From the start of the sound to where it was judged.
    package let seconds: Float
    package let result: VocalAffectResult
  }

  /// The judgements that a stream makes of a whole sound, each of the three seconds before it. O(samples).
  /// - Throws: `ClassifierError.invalidInput`.
  package func timeline(_ sound: Waveform) throws(ClassifierError) -> [Judgement] {
    var stream = try VocalAffectStream(self, format: SoundFormat(encoding: .float32, rate: Waveform.rate))
    let step = Waveform.rate / rate
    var judgements: [Judgement] = []
    for start in stride(from: 0, to: sound.samples.count, by: step) {
      let end = min(start + step, sound.samples.count)
      let bytes = sound.samples[start..<end].flatMap { sample in
        (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) }
      }
      guard let result = try stream.hear(bytes.span.bytes) else { continue }
      judgements.append(Judgement(seconds: Float(end) / Float(Waveform.rate), result: result))
    }
    return judgements
  }
}
