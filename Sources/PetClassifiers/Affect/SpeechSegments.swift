// SPDX-License-Identifier: Apache-2.0
/// Where there is speech, from the probabilities of each 32 ms.
///
/// The thresholds are those that Silero VAD recommends: speech begins at 0.5 and lasts until the probability stays
/// below 0.35 for 100 ms; what is shorter than 250 ms is no speech.
package enum SpeechSegments {
  private static let start: Float = 0.5
  private static let end: Float = 0.35
  private static let leastSilence = 1_600
  private static let leastSpeech = 4_000

  /// Ranges of samples, ascending, disjoint. O(probabilities).
  package static func find(_ probabilities: some Collection<Float>) -> [Range<Int>] {
    let piece = VoiceActivityDetector.piece
    var segments: [Range<Int>] = []
    var began: Int?
    var quietSince: Int?
    func close(_ end: Int) {
      if let start = began, end - start > leastSpeech { segments.append(start..<end) }
      (began, quietSince) = (nil, nil)
    }
    for (index, probability) in probabilities.enumerated() {
      let position = index * piece
      if probability >= start {
        quietSince = nil
        if began == nil { began = position }
      } else if began != nil, probability < end {
        let since = quietSince ?? position
        quietSince = since
        if position - since >= leastSilence { close(since) }
      }
    }
    close(probabilities.count * piece)
    return segments
  }
}
