// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

import PetClassifiers

@Suite struct ProsodyTests {
  private func frames(_ name: String) throws -> [ProsodyFrame] {
    var analyzer = ProsodyAnalyzer()
    return analyzer.frames(adding: try AffectGoldens.sound(name).samples)
  }

  @Test(arguments: AffectGoldens.names)
  func energyIsWithinATenthOfADecibel(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    let frames = try frames(name)
    try #require(frames.count == golden.energy.count)
    for (frame, expected) in zip(frames, golden.energy) { #expect(abs(frame.energy - expected) < 0.1) }
  }

  @Test(arguments: AffectGoldens.names)
  func spectrumIsTheReference(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    for (frame, (centroid, tilt)) in zip(try frames(name), zip(golden.centroid, golden.tilt)) {
      #expect(abs(frame.centroid - centroid) < 1)
      #expect(abs(frame.tilt - tilt) < 0.05)
    }
  }

  @Test(arguments: AffectGoldens.names)
  func pitchIsPraats(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    let pitches = PitchPath.pitches(try frames(name))
    let both = zip(pitches, golden.pitch).compactMap { ours, theirs in
      ours.flatMap { ours in theirs.map { (ours, $0) } }
    }
    let near = both.filter { abs($0.0 / $0.1 - 1) < 0.02 }
    #expect(Double(near.count) >= 0.97 * Double(both.count))
    let agreeing = zip(pitches, golden.pitch).filter { ($0 == nil) == ($1 == nil) }
    #expect(Double(agreeing.count) >= 0.97 * Double(pitches.count))
    let ours = ProsodySummary.percentile(pitches.compactMap(\.self).sorted(), 0.5)
    let theirs = ProsodySummary.percentile(golden.pitch.compactMap(\.self).sorted(), 0.5)
    #expect(abs(ours / theirs - 1) < 0.01)
  }

  @Test(arguments: AffectGoldens.names)
  func syllablesAreThePeaksOfTheReference(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    let everywhere = [Bool](repeating: true, count: golden.energy.count)
    #expect(SyllableNuclei.find(golden.energy, isVoiced: everywhere) == golden.syllables)
  }

  @Test(arguments: AffectGoldens.names)
  func jitterAndShimmerAreNearPraats(_ name: String) throws {
    let golden = try #require(AffectGoldens.all[name])
    let samples = try AffectGoldens.sound(name).samples
    let pitches = PitchPath.pitches(try frames(name))
    let cycles = GlottalCycles(samples[...], pitches: pitches[...])
    let jitter = try #require(cycles.jitter)
    let shimmer = try #require(cycles.shimmer)
    #expect(abs(jitter - golden.jitter) < 0.01)
    #expect(abs(shimmer - golden.shimmer) < 0.05)
  }

  @Test func jitterIsTheSameLateInALongSound() throws {
    // Half a second at 200 Hz, whose periods are longer and shorter in turn by 0.1 %.
    let pitches = [Float?](repeating: 200, count: 50)
    var voice = [Float](repeating: 0, count: 50 * ProsodyFrame.stepSamples + 640)
    var (middle, index) = (40.0, 0)
    while middle < Double(voice.count) {
      for sample in max(0, Int(middle) - 40)..<min(voice.count, Int(middle) + 40) {
        let distance = (Double(sample) - middle) / 6
        voice[sample] += Float(0.5 * exp(-distance * distance))
      }
      middle += 80.3 * (index.isMultiple(of: 2) ? 1.001 : 0.999)
      index += 1
    }
    let before = 59_000
    let silence = [Float](repeating: 0, count: before * ProsodyFrame.stepSamples)
    let early = try #require(GlottalCycles(voice[...], pitches: pitches[...]).jitter)
    let sound = silence + voice
    let told = [Float?](repeating: nil, count: before) + pitches
    let late = try #require(GlottalCycles(sound[...], pitches: told[...]).jitter)
    #expect((0.001...0.003).contains(early), "\(early)")
    #expect(abs(late / early - 1) < 0.02, "\(late) instead of \(early)")
  }

  @Test func framesDoNotDependOnHowTheSoundIsCut() throws {
    let samples = try AffectGoldens.sound("people-001").samples
    var whole = ProsodyAnalyzer()
    var cut = ProsodyAnalyzer()
    let expected = whole.frames(adding: samples)
    var found: [ProsodyFrame] = []
    var start = 0
    for length in [1, 159, 160, 161, 640, 5_000, samples.count] {
      let end = min(start + length, samples.count)
      found += cut.frames(adding: samples[start..<end])
      start = end
    }
    #expect(found == expected)
  }

  @Test(arguments: [80, 100, 155.5, 220, 333, 590] as [Float])
  func aToneHasItsPitch(_ frequency: Float) throws {
    // A buzz of ten harmonics.
    var samples = [Float](repeating: 0, count: 16_000)
    for harmonic in 1...10 {
      let step = 2 * Float.pi * frequency * Float(harmonic) / 16_000
      for index in samples.indices { samples[index] += 0.05 * sin(step * Float(index)) }
    }
    var analyzer = ProsodyAnalyzer()
    let pitches = PitchPath.pitches(analyzer.frames(adding: samples))
    #expect(pitches.count == 97)
    for pitch in pitches {
      let found = try #require(pitch)
      #expect(abs(found / frequency - 1) < 0.005)
    }
  }

  @Test func silenceAndOffsetHaveNoPitch() {
    for level in [0, 0.5] as [Float] {
      var analyzer = ProsodyAnalyzer()
      let frames = analyzer.frames(adding: [Float](repeating: level, count: 8_000))
      #expect(PitchPath.pitches(frames).allSatisfy { $0 == nil })
    }
  }
}
