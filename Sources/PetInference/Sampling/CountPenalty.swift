// SPDX-License-Identifier: Apache-2.0
/// Makes tokens less likely the more often the reply has them: subtracts `frequency` per occurrence and `presence` once
/// (https://platform.openai.com/docs/guides/text-generation, "frequency and presence penalties"). 0 changes nothing; usual
/// values are 0.1 to 1; negative ones make repetition likelier.
package struct CountPenalty: Sendable, Equatable {
  package let frequency: Float
  package let presence: Float

  /// - Throws: `SamplingError.outOfRange` unless both are from -2 to 2.
  package init(frequency: Float, presence: Float) throws(SamplingError) {
    self.frequency = try SamplingError.check("frequency penalty", frequency, -2...2)
    self.presence = try SamplingError.check("presence penalty", presence, -2...2)
  }

  var changesNothing: Bool { frequency == 0 && presence == 0 }

  /// O(reply + distinct tokens x log vocabulary). The candidates must still be in the order of their ids.
  func apply(to candidates: inout Candidates, reply: ArraySlice<Int32>) {
    guard !changesNothing else { return }
    var counts: [Int32: Int] = [:]
    for token in reply { counts[token, default: 0] += 1 }
    for (token, count) in counts {
      guard let index = candidates.index(of: token) else { continue }
      candidates.entries[index].logit -= frequency * Float(count) + presence
    }
  }
}
