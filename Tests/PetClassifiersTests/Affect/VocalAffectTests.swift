// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetRuntime
import Testing

import PetClassifiers

@Suite struct VocalAffectTests {
  private func classifier(_ quality: ModelQuality) throws -> VocalAffectClassifier {
    try VocalAffectClassifier(try AffectGoldens.weights(), quality: quality)
  }

  private func affect(_ result: VocalAffectResult?) throws -> VocalAffect {
    guard case .affect(let affect)? = result else {
      Issue.record("no speech found: \(String(describing: result))")
      throw ClassifierError.invalidInput("no speech")
    }
    return affect
  }

  private func prosody(_ change: (inout ProsodySummary) -> Void) throws -> ProsodySummary {
    var prosody = try affect(try classifier(.high).classify(try AffectGoldens.sound("people-0930"))).prosody
    change(&prosody)
    return prosody
  }

  @Test(arguments: AffectGoldens.names, ModelQuality.allCases)
  func everybodyIsHeard(_ name: String, _ quality: ModelQuality) throws {
    let affect = try affect(try classifier(quality).classify(try AffectGoldens.sound(name)))
    #expect(abs(affect.probabilities.values.reduce(0, +) - 1) < 1e-4)
    #expect(affect.probabilities.count == VocalAffect.Label.allCases.count)
    #expect(affect.confidence == affect.probabilities.values.max())
    #expect((-1...1).contains(affect.valence) && (-1...1).contains(affect.arousal))
    #expect((affect.prosody.jitter != nil) == (quality == .high))
  }

  @Test func silenceNoiseAndTonesAreNoSpeech() throws {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<48_000).map { _ in Float.random(in: -0.3...0.3, using: &generator) }
    let tone = (0..<48_000).map { 0.3 * sin(Float($0) * 0.1) }
    for samples in [[Float](repeating: 0, count: 48_000), noise, tone, [0.5]] {
      let result = try classifier(.high).classify(try Waveform(samples: samples))
      guard case .noSpeech = result else {
        Issue.record("\(result)")
        continue
      }
    }
  }

  @Test func samplesThatAreNoNumbersAreRefused() {
    for sample in [Float.nan, .infinity, 1e9] {
      #expect(throws: ClassifierError.self) { try Waveform(samples: [0, sample]) }
    }
    #expect(throws: ClassifierError.self) { try Waveform(samples: []) }
  }

  @Test func higherFasterAndLivelierIsMoreExcited() throws {
    let plain = AffectRules.affect(try prosody { _ in }, baseline: nil, usesTimbre: true)
    let excited = AffectRules.affect(
      try prosody {
        $0.pitch *= 1.5
        $0.rate += 2
        $0.pitchRange += 4
        $0.tilt -= 6
      }, baseline: nil, usesTimbre: true)
    #expect(excited.arousal > plain.arousal + 0.3)
  }

  @Test func aKnownSpeakerIsHeldAgainstItself() throws {
    var baseline = SpeakerBaseline()
    let usual = try prosody { $0.speechSeconds = 6 }
    baseline.add(usual)
    #expect(!baseline.isEnough)
    baseline.add(usual)
    #expect(baseline.isEnough)
    let ordinary = AffectRules.affect(usual, baseline: baseline, usesTimbre: false)
    #expect(abs(ordinary.arousal) < 0.05)
    #expect(ordinary.label == .neutral)
    let louder = AffectRules.affect(
      try prosody {
        $0.energy += 10; $0.pitch *= 1.2
      }, baseline: baseline, usesTimbre: false)
    #expect(louder.arousal > 0.5)
    let softer = AffectRules.affect(
      try prosody {
        $0.energy -= 10; $0.pitch /= 1.2; $0.rate -= 1
      }, baseline: baseline, usesTimbre: false)
    #expect(softer.arousal < -0.5)
  }

  @Test func aStreamJudgesAtItsRateInBoundedMemory() throws {
    let format = try SoundFormat(encoding: .muLaw, rate: 16_000)
    let clip = Array(try AffectGoldens.bytes("people-0930").dropFirst(58))
    var stream = try VocalAffectStream(try classifier(.medium), format: format)
    var judged = 0
    var heard = 0
    // Twelve seconds in pieces of 20 ms: 5 judgements a second.
    for piece in 0..<600 {
      let start = piece * 320 % (clip.count - 320)
      guard let result = try hear(&stream, Array(clip[start..<(start + 320)])) else { continue }
      judged += 1
      if case .affect = result { heard += 1 }
      #expect(stream.held <= VocalAffectStream.window + 2_560)
    }
    #expect(judged == 60)
    #expect(heard > 50)
    #expect(stream.baseline.seconds > 5)
  }

  @Test func aStreamOfTheWholeSoundSaysWhatTheSoundSays() throws {
    let format = try SoundFormat(encoding: .muLaw, rate: 16_000)
    let name = "espeak-en-us-50-175"
    let sound = try AffectGoldens.sound(name)
    let classifier = try classifier(.high)
    var stream = try VocalAffectStream(classifier, format: format)
    let whole = sound.samples.count / 512 * 512
    let file = try AffectGoldens.bytes(name)
    let bytes = Array(file[try WAVFile(file.span.bytes).samples].prefix(whole))
    let expected = try classifier.classify(try Waveform(samples: Array(sound.samples.prefix(whole))))
    #expect(try hear(&stream, bytes) == expected)
  }

  private func hear(_ stream: inout VocalAffectStream, _ bytes: [UInt8]) throws -> VocalAffectResult? {
    try stream.hear(bytes.span.bytes)
  }
}
