// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Chooses one candidate of each frame so that the voice neither leaps nor breaks off without need.
///
/// Source: Boersma (1993), step 4, with the standard settings given there; lower pitches pay, counted from the ceiling,
/// as Praat does it. The path by Viterbi's algorithm.
package enum PitchPath {
  private static let silence: Float = 0.03
  private static let voicing: Float = 0.45
  private static let octave: Float = 0.01
  private static let octaveJump: Float = 0.35
  private static let onset: Float = 0.14
  /// The costs of a change are for steps of 10 ms.
  private static let stepCorrection: Float = 0.01 / ProsodyFrame.step

  /// The pitch of each frame in Hz, nil where voiceless. O(frames x candidates squared).
  package static func pitches(_ frames: some Collection<ProsodyFrame>) -> [Float?] {
    let loudest = frames.reduce(0) { max($0, $1.peak) }
    guard loudest > 0 else { return frames.map { _ in nil } }
    var candidates: [[PitchCandidate]] = []
    var origins: [[Int]] = []
    var scores: [Float] = [0]
    for frame in frames {
      let current = [voiceless(frame, loudest: loudest)] + frame.candidates.map(preferringHigher)
      guard let before = candidates.last else {
        scores = current.map(\.strength)
        origins.append(current.map { _ in 0 })
        candidates.append(current)
        continue
      }
      var next: [Float] = []
      var from: [Int] = []
      for candidate in current {
        var best = 0
        var bestScore = -Float.infinity
        for (index, earlier) in before.enumerated() {
          let score = scores[index] - cost(earlier.frequency, candidate.frequency)
          if score > bestScore { (best, bestScore) = (index, score) }
        }
        next.append(bestScore + candidate.strength)
        from.append(best)
      }
      scores = next
      origins.append(from)
      candidates.append(current)
    }
    var chosen = scores.indices.max { scores[$0] < scores[$1] } ?? 0
    var pitches: [Float?] = []
    for (frame, from) in zip(candidates, origins).reversed() {
      let frequency = frame[chosen].frequency
      pitches.append(frequency > 0 ? frequency : nil)
      chosen = from[chosen]
    }
    return pitches.reversed()
  }

  private static func voiceless(_ frame: ProsodyFrame, loudest: Float) -> PitchCandidate {
    let quiet = 2 - frame.peak / loudest * (1 + voicing) / silence
    return PitchCandidate(frequency: 0, strength: voicing + max(0, quiet))
  }

  private static func preferringHigher(_ candidate: PitchCandidate) -> PitchCandidate {
    PitchCandidate(
      frequency: candidate.frequency,
      strength: candidate.strength - octave * log2(PitchCandidates.ceiling / candidate.frequency))
  }

  private static func cost(_ before: Float, _ after: Float) -> Float {
    switch (before > 0, after > 0) {
    case (false, false): 0
    case (true, true): octaveJump * stepCorrection * abs(log2(before / after))
    default: onset * stepCorrection
    }
  }
}
