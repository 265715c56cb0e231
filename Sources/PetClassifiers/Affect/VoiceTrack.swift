// SPDX-License-Identifier: Apache-2.0
/// A sound measured along time: what summaries are made of and plots are drawn from.
package struct VoiceTrack: Sendable {
  /// Every 10 ms; `ProsodyFrame.time(of:)` says when.
  package let frames: [ProsodyFrame]
  /// Hz of each frame, nil where voiceless.
  package let pitches: [Float?]
  /// Of each 32 ms, 0 to 1.
  package let speechProbabilities: [Float]
  /// Ranges of samples in which somebody speaks, ascending.
  package let speech: [Range<Int>]

  package init(frames: [ProsodyFrame], speechProbabilities: [Float]) {
    self.frames = frames
    self.speechProbabilities = speechProbabilities
    pitches = PitchPath.pitches(frames)
    speech = SpeechSegments.find(speechProbabilities)
  }

  /// Seconds of speech.
  package var speechSeconds: Float { Float(speech.reduce(0) { $0 + $1.count }) / Float(Waveform.rate) }
}
