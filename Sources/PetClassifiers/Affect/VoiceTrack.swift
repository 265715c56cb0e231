// SPDX-License-Identifier: Apache-2.0
/// A sound measured along time: what summaries are made of and plots are drawn from.
public struct VoiceTrack: Sendable {
  /// Every 10 ms; `ProsodyFrame.time(of:)` says when.
  public let frames: [ProsodyFrame]
  /// Hz of each frame, nil where voiceless.
  public let pitches: [Float?]
  /// Of each 32 ms, 0 to 1.
  public let speechProbabilities: [Float]
  /// Ranges of samples in which somebody speaks, ascending.
  public let speech: [Range<Int>]

  package init(frames: [ProsodyFrame], speechProbabilities: [Float]) {
    self.frames = frames
    self.speechProbabilities = speechProbabilities
    pitches = PitchPath.pitches(frames)
    speech = SpeechSegments.find(speechProbabilities)
  }

  /// Seconds of speech.
  public var speechSeconds: Float { Float(speech.reduce(0) { $0 + $1.count }) / Float(Waveform.rate) }
}
