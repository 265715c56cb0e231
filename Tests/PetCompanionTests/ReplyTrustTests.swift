// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("How far a model's own words are believed")
struct ReplyTrustTests {
  @Test("the more surprising a reply is to the model, the less likely it is right; half of them at the even surprise")
  func falls() {
    let trust = ReplyTrust(evenSurprise: 7, scale: 3)
    #expect(trust.rightness(surprise: 7) == 0.5)
    let all = stride(from: 0.0, through: 60, by: 0.5).map(trust.rightness)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0 > $1 } && all.allSatisfy { (0...1).contains($0) })
    #expect(abs(trust.rightness(surprise: 10) - 1 / (1 + 2.718281828)) < 1e-6)
    #expect(trust.rightness(surprise: .infinity) == 0)
  }
}
