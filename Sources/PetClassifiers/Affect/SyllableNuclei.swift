// SPDX-License-Identifier: Apache-2.0
/// Counts syllables without knowing words: swells of the voice that stand out from the dips beside them.
///
/// Source: N. de Jong and T. Wempe, "Praat script to detect syllable nuclei and measure speech rate automatically",
/// Behavior Research Methods 41 (2009): voiced peaks of intensity, 2 dB above the dips around them.
package enum SyllableNuclei {
  private static let prominence: Float = 2
  /// Peaks this far below the loudest are breath and room.
  private static let range: Float = 25
  /// Frames on either side over which energy is smoothed.
  private static let reach = 3

  /// Frames at which a syllable swells, ascending. `energies` in dB and `isVoiced` of successive frames. O(frames
  /// squared) at worst.
  package static func find(_ energies: [Float], isVoiced: [Bool]) -> [Int] {
    let smooth = smoothed(energies)
    guard let loudest = smooth.max() else { return [] }
    return smooth.indices.dropFirst().dropLast().filter { index in
      smooth[index] > smooth[index - 1] && smooth[index] >= smooth[index + 1] && isVoiced[index]
        && smooth[index] > loudest - range && prominence(smooth, index) >= prominence
    }
  }

  private static func smoothed(_ values: [Float]) -> [Float] {
    values.indices.map { index in
      let around = values[max(0, index - reach)...min(values.count - 1, index + reach)]
      return around.reduce(0, +) / Float(around.count)
    }
  }

  /// How far one has to descend from a peak before one can climb higher.
  private static func prominence(_ values: [Float], _ peak: Int) -> Float {
    func base(_ indices: some Sequence<Int>) -> Float {
      var lowest = values[peak]
      for index in indices {
        if values[index] > values[peak] { break }
        lowest = min(lowest, values[index])
      }
      return lowest
    }
    return values[peak] - max(base((0..<peak).reversed()), base((peak + 1)..<values.count))
  }
}
