// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("Sums that people ask for")
struct SumTests {
  private func result(_ message: String) -> String? {
    CommonKnowledge.standard.result(of: message, temperament: "", choice: 0)?.text
  }

  @Test(
    "are worked out, in figures or in words",
    arguments: [
      ("what is 7 plus 6", "7 plus 6 is 13."), ("7+6", "7 plus 6 is 13."), ("whats 12 x 12?", "12 times 12 is 144."),
      ("What's twenty-one minus nine?", "21 minus 9 is 12."), ("10 take away 3 = ?", "10 minus 3 is 7."),
      ("how much is a hundred and five divided by 5, mochi", "105 divided by 5 is 21."),
      ("whats 3847 x 219, quick", "3847 times 219 is 842493."),
      ("17 divided by 5", "17 divided by 5 is 3, and 2 left over."),
      ("what is 2 + 3 × 4", "2 plus 3 times 4 is 14."), ("half of 18?", "18 divided by 2 is 9."),
      ("double seven", "7 times 2 is 14."), ("what is 5 - 8", "5 minus 8 is -3."),
      ("3 ÷ 0", "Nobody can divide by zero."),
      ("can you tell me two thousand and ten times a hundred", "2010 times 100 is 201000."),
      ("what is 1,000 + 1", "1000 plus 1 is 1001."), ("calculate 12/4", "12 divided by 4 is 3."),
    ])
  func answers(_ message: String, _ answer: String) throws {
    let reply = try #require(result(message))
    #expect(reply.contains(answer), "\(reply)")
  }

  @Test(
    "what only looks like one is left to others",
    arguments: [
      "7-1", "we lost 4-0", "what is 9/11", "see you at 7 + bring cake", "2+2=5", "call +44 20 7946 0000", "what is 7",
      "24/7",
      "i have one plus two others", "what is a hundred", "12/4", "what is plus", "double trouble", "half of what",
      "what is 1,2,3 + 4", "what is 999999999 x 999999999 x 999999999", "what is 12345678901 + 1", "7 + seven + a + 3",
      "what is 7 / 2", "x x x", "+++", "", "a", "a hundred hundred plus one", "one thousand thousand times two",
      "twenty ten plus 1",
    ])
  func others(_ message: String) { #expect(result(message) == nil) }
}
