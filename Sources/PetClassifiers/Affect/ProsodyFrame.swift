// SPDX-License-Identifier: Apache-2.0
/// What is measured of a sound every 10 ms, in the 25 ms around a moment (pitch: in 40 ms).
package struct ProsodyFrame: Sendable, Equatable {
  /// Seconds from one frame to the next.
  package static let step: Float = 0.01
  package static let stepSamples = 160
  /// Samples before the middle of the first frame, and of the window of pitch on either side.
  package static let halfWindow = PitchCandidates.window / 2

  /// Root mean square in dB of full scale; -100 for digital silence.
  package let energy: Float
  /// The mean frequency of the spectrum in Hz, weighted by magnitude; 0 for digital silence.
  package let centroid: Float
  /// Power of 50 to 1000 Hz over that of 1 to 5 kHz in dB: a dull voice is high, a pressed one low.
  package let tilt: Float
  /// How far the samples of the middle 13 ms swing from the mean, for telling silence.
  package let peak: Float
  package let candidates: [PitchCandidate]

  /// Seconds from the start of the sound to the middle of frame `index`.
  package static func time(of index: Int) -> Float {
    Float(index * stepSamples + halfWindow) / Float(Waveform.rate)
  }
}
