// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

import PetClassifiers

@Suite struct SoundPlotTests {
  @Test func aTimelineJudgesAtTheTiersRate() throws {
    let sound = try AffectGoldens.sound("people-0930")
    let classifier = try VocalAffectClassifier(try AffectGoldens.weights(), quality: .low)
    let judgements = try classifier.timeline(sound)
    #expect(judgements.map(\.seconds) == [0.5, 1, 1.5, 2, 2.5, 3].filter { $0 <= Float(sound.duration) })
    guard case .noSpeech = try #require(judgements.first).result, case .affect = try #require(judgements.last).result
    else {
      Issue.record("\(judgements)")
      return
    }
  }

  @Test func whatIsMeasuredIsDrawn() throws {
    let sound = try AffectGoldens.sound("people-0930")
    let classifier = try VocalAffectClassifier(try AffectGoldens.weights(), quality: .low)
    let judgements = try classifier.timeline(sound)
    let plot = try Picture(plotting: sound, try classifier.track(sound), judgements)
    // A PNG that can be read back.
    #expect(try Picture(plot.png()) == plot)
    let silence = try Waveform(samples: [Float](repeating: 0, count: 48_000))
    let empty = try Picture(plotting: silence, try classifier.track(silence), try classifier.timeline(silence))
    func pixels(_ picture: Picture, _ color: (UInt8, UInt8, UInt8)) -> Int {
      stride(from: 0, to: picture.pixels.count, by: 3).count {
        (picture.pixels[$0], picture.pixels[$0 + 1], picture.pixels[$0 + 2]) == color
      }
    }
    let (pitch, speech) = ((255, 140, 0), (102, 187, 106)) as ((UInt8, UInt8, UInt8), (UInt8, UInt8, UInt8))
    #expect(pixels(plot, pitch) > 200 && pixels(empty, pitch) == 0)
    #expect(pixels(plot, speech) > 20_000 && pixels(empty, speech) < 5_000)
    // One sample is a sound too.
    let least = try Waveform(samples: [0.5])
    #expect(try Picture(plotting: least, try classifier.track(least), try classifier.timeline(least)).width == 1_000)
  }
}
