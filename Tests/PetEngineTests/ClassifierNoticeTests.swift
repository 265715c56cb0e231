// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetEngine
import SamplePets
import Testing

/// What a pet notices of what classifiers say.
@Suite("Classifiers and pets")
struct ClassifierNoticeTests {
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/classify")

  private func classifiers() async throws -> Classifiers {
    try await ModelRuntime().addClassifiers(Configuration(.watch), in: .repository())
  }

  @Test("a happy face and strained evenings reach the pet, and move it")
  func noticed() async throws {
    let classifiers = try await classifiers()
    let picture = try Picture([UInt8](Data(contentsOf: Self.examples.appending(path: "photo.jpg"))))
    let face = try await classifiers.expression(picture)
    let happy = try #require(Observation(face, seconds: 7))
    #expect(happy.source == .face && happy.feeling == .happy && happy.seconds == 7)
    #expect(abs(happy.confidence - Double(face.expression?.confidence ?? 0)) < 1e-6)

    let pet = try Pets.mochi()
    let before = await pet.state().mood
    await pet.notice(face)
    #expect(await pet.state().mood > before)

    let table = [UInt8](try Data(contentsOf: Self.examples.appending(path: "moods.csv")))
    let stress = try await classifiers.stress(try StressSignals(table))
    let tense = try #require(Observation(stress, seconds: 7))
    #expect(tense.source == .stress && tense.feeling == .tense)
    #expect(abs(tense.confidence - stress.probability) < 1e-6)
    let other = try Pets.mochi()
    let mood = await other.state().mood
    await other.notice(stress)
    #expect(await other.state().mood < mood)
  }

  @Test("labels that name no feeling, silence and empty pictures are no observation")
  func nothing() async throws {
    let silence = VocalAffectResult.noSpeech(speechSeconds: 0, voicedSeconds: 0)
    #expect(Observation(silence, seconds: 0) == nil)
    let classifiers = try await classifiers()
    let grey = try Picture(width: 64, height: 64, rgb: [UInt8](repeating: 128, count: 64 * 64 * 3))
    let (face, pose) = (try await classifiers.expression(grey), try await classifiers.pose(grey))
    #expect(face.expression == nil && Observation(face, seconds: 0) == nil)
    #expect(pose.pose == nil && Observation(pose, seconds: 0) == nil)
    // Sitting for a picture says nothing of how somebody feels.
    let picture = try Picture([UInt8](Data(contentsOf: Self.examples.appending(path: "photo.jpg"))))
    #expect(Observation(try await classifiers.pose(picture), seconds: 0) == nil)
  }

  @Test("a voice that was judged says what it sounds like, by the names that pets know")
  func voices() async throws {
    let classifiers = try await classifiers()
    let sound = try Waveform(wav: [UInt8](Data(contentsOf: Self.examples.appending(path: "talk.wav"))))
    let result = try await classifiers.affect(sound)
    guard case .affect(let affect) = result else {
      Issue.record("no speech in it")
      return
    }
    func observation(_ probabilities: [VocalAffect.Label: Float]) -> Observation? {
      let changed = VocalAffect(
        valence: 0, arousal: 0, probabilities: probabilities, prosody: affect.prosody)
      return Observation(.affect(changed), seconds: Pets.moment.seconds)
    }
    let tense = try #require(observation([.angry: 0.35, .fearful: 0.25, .sad: 0.4]))
    #expect(tense.source == .voice && tense.feeling == .tense && abs(tense.confidence - 0.6) < 1e-6)
    #expect(observation([.happy: 0.7, .neutral: 0.3])?.feeling == .happy)
    #expect(observation([.calm: 0.5, .neutral: 0.5]) == nil)
    // What is said of a real voice is not sure enough to be taken alone.
    #expect(try #require(affect.probabilities.values.max()) < Float(Perception.floor))
    let pet = try Pets.mochi()
    let before = await pet.state().mood
    await pet.notice(result)
    #expect(await pet.state().mood == before)
    await pet.notice(tense)
    #expect(await pet.state().mood < before)
  }
}
