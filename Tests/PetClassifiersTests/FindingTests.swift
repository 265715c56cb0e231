// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

@Suite("When a judgement comes to a label")
struct FindingTests {
  /// Likelihoods of labels 0, 1, 2, and so on; nil: unclear.
  @Test(
    arguments: [
      // Seven: nothing was seen; a ranking and no more; half is not more than half; a majority with a lead.
      ([0.143, 0.143, 0.143, 0.143, 0.143, 0.143, 0.142], nil), ([0.2, 0.19, 0.18, 0.15, 0.1, 0.1, 0.08], nil),
      ([0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0], nil), ([0.06, 0.51, 0.09, 0.09, 0.09, 0.08, 0.08], 1),
      ([0.56, 0.44, 0, 0, 0, 0, 0], nil), ([0.58, 0.42, 0, 0, 0, 0, 0], 0), ([0, 0, 0, 0.99, 0.01, 0, 0], 3),
      // Six, as of a voice.
      ([0.3, 0.19, 0.17, 0.14, 0.1, 0.1], nil), ([0.58, 0.42, 0, 0, 0, 0], nil), ([0.59, 0.41, 0, 0, 0, 0], 0),
      // Three: two thirds where the rest is all of one other.
      ([0.66, 0.34, 0], nil), ([0.67, 0.33, 0], 0), ([0.24, 0.04, 0.72], 2), ([0.55, 0.225, 0.225], nil),
      ([0.56, 0.22, 0.22], 0),
      // One, none, and what is no number.
      ([1], 0), ([], nil), ([.nan, .nan], nil), ([0.9, .nan], nil),
    ] as [([Double], Int?)])
  func finding(likelihoods: [Double], label: Int?) {
    let table = Dictionary(uniqueKeysWithValues: likelihoods.enumerated().map { ($0.offset, $0.element) })
    #expect(Finding.of(table) == label)
    #expect(Finding.of(table.mapValues(Float.init)) == label)
  }
}
