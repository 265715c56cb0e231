// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a reply must take up")
struct GroundsTests {
  private let grounds = Grounds(
    "has a daughter named Ottilie", others: ["has a niece named Runa"], message: "what is my girl called")

  @Test("a word of the statement that the message has not, and none of another statement")
  func takenUp() {
    #expect(grounds.areTakenUp(by: "Ottilie!"))
    #expect(grounds.areTakenUp(by: "She's your daughter, silly."))
    #expect(!grounds.areTakenUp(by: "Runa."))
    #expect(!grounds.areTakenUp(by: "Ottilie or Runa."))
    #expect(!grounds.areTakenUp(by: "Your girl is called that."))
    #expect(!grounds.areTakenUp(by: ""))
  }
}
