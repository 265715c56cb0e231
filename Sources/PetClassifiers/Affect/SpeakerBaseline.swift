// SPDX-License-Identifier: Apache-2.0
/// How somebody usually speaks: what is high, fast or loud for one person is not for another.
public struct SpeakerBaseline: Sendable, Equatable, Codable {
  /// Seconds of speech after which a baseline is better than everybody's mean.
  package static let enough: Float = 10

  /// Seconds of speech heard.
  package private(set) var seconds: Float = 0
  /// Means, weighted by seconds: semitones above 100 Hz, dB of full scale, syllables per second, semitones, dB.
  package private(set) var pitch: Float = 0
  package private(set) var energy: Float = 0
  package private(set) var rate: Float = 0
  package private(set) var pitchRange: Float = 0
  package private(set) var tilt: Float = 0

  public init() {}

  /// Whether enough has been heard.
  public var isEnough: Bool { seconds >= Self.enough }

  /// Learns from another stretch of speech. What was heard long ago fades: no more than ten minutes weigh.
  public mutating func add(_ prosody: ProsodySummary) {
    let known = min(seconds, 600)
    let part = prosody.speechSeconds / (known + prosody.speechSeconds)
    func mix(_ old: inout Float, _ new: Float) { old += (new - old) * part }
    mix(&pitch, prosody.pitchInSemitones)
    mix(&energy, prosody.energy)
    mix(&rate, prosody.rate)
    mix(&pitchRange, prosody.pitchRange)
    mix(&tilt, prosody.tilt)
    seconds = known + prosody.speechSeconds
  }
}
