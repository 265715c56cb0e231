// SPDX-License-Identifier: Apache-2.0
/// Adds a number to the logits of some tokens (https://platform.openai.com/docs/api-reference/chat/create, `logit_bias`): -100
/// bans a token and 100 all but forces it; -1 to 1 makes it a little less or more likely. Tokens at minus infinity stay there.
package struct LogitBias: Sendable, Equatable {
  package let values: [Int32: Float]

  /// - Throws: `SamplingError.outOfRange` unless all are from -100 to 100.
  package init(_ values: [Int32: Float]) throws(SamplingError) {
    for value in values.values { _ = try SamplingError.check("logit bias", value, -100...100) }
    self.values = values
  }

  var changesNothing: Bool { values.isEmpty }

  /// O(tokens x log vocabulary). The candidates must still be in the order of their ids.
  func apply(to candidates: inout Candidates) {
    for (token, value) in values {
      guard let index = candidates.index(of: token) else { continue }
      candidates.entries[index].logit += value
    }
  }
}
