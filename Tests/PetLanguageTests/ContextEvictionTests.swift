// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite struct ContextEvictionTests {
  @Test func fitsUpToTheLastToken() {
    #expect(ContextEviction.decide(prompt: 90, minimum: 20, reserve: 10, capacity: 100) == .fits)
    #expect(ContextEviction.decide(prompt: 91, minimum: 20, reserve: 10, capacity: 100) == .shrink(target: 50))
  }

  @Test func keepsMostOfAConversationThatIsNotGoneOnWith() {
    #expect(
      ContextEviction.decide(prompt: 91, minimum: 20, reserve: 10, capacity: 100, keepsMost: true)
        == .shrink(target: 90))
  }

  /// The new message is never cut, however little room it leaves.
  @Test func keepsTheMessageWhole() {
    #expect(ContextEviction.decide(prompt: 100, minimum: 90, reserve: 10, capacity: 100) == .shrink(target: 90))
    #expect(ContextEviction.decide(prompt: 100, minimum: 91, reserve: 10, capacity: 100) == .impossible)
  }
}
