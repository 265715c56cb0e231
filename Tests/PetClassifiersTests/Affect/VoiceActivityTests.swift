// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

@Suite struct VoiceActivityTests {
  @Test(arguments: AffectGoldens.names)
  func probabilitiesAreThoseOfThePublishedModel(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    let classifier = try VocalAffectClassifier(try AffectGoldens.weights(), quality: .low)
    let found = try classifier.track(try AffectGoldens.sound(name)).speechProbabilities
    try #require(found.count == golden.speech.count)
    for (probability, expected) in zip(found, golden.speech) { #expect(abs(probability - expected) < 1e-5) }
  }

  @Test func onlyWholePiecesAreTaken() throws {
    var detector = VoiceActivityDetector(weights: try VoiceActivityWeights(try AffectGoldens.weights()))
    for count in [0, 1, 511, 513] {
      let samples = [Float](repeating: 0, count: count)
      #expect(throws: ClassifierError.self) { try detector.probability(of: samples[...]) }
    }
  }

  @Test func weightsOfAnotherShapeAreRefused() {
    struct Short: TensorSource { func floats(_ name: String, count: Int) -> [Float] { [1, 2] } }
    struct Wild: TensorSource {
      func floats(_ name: String, count: Int) -> [Float] { [Float](repeating: .nan, count: 66_048) }
    }
    #expect(throws: ClassifierError.invalidModel("tensor vad.spectrum.weight has 2 values, not 66048")) {
      try VoiceActivityWeights(Short())
    }
    #expect(throws: ClassifierError.invalidModel("tensor vad.spectrum.weight holds a value that is not finite")) {
      try VoiceActivityWeights(Wild())
    }
  }

  @Test func speechLastsThroughShortPauses() {
    let speech = [Float](repeating: 0.9, count: 10)
    let pause = [Float](repeating: 0.1, count: 3)
    let silence = [Float](repeating: 0.1, count: 5)
    #expect(SpeechSegments.find(speech + pause + speech) == [0..<23 * 512])
    #expect(SpeechSegments.find(speech + silence + speech) == [0..<10 * 512, 15 * 512..<25 * 512])
    #expect(SpeechSegments.find(silence + speech.prefix(7) + silence).isEmpty)
    // Between the thresholds speech goes on but does not begin.
    #expect(SpeechSegments.find(speech + [Float](repeating: 0.4, count: 9)) == [0..<19 * 512])
    #expect(SpeechSegments.find([Float](repeating: 0.4, count: 30)).isEmpty)
  }
}
