// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What is said twice")
struct RepetitionTests {
  @Test(
    "sentences that come again go, and phrases that go round are cut off",
    arguments: [
      ("I'm sorry. I'm sorry. I'm sorry.", "I'm sorry."),
      ("I'm spinning! i'm spinning. Wheee!", "I'm spinning! Wheee!"),
      ("Puppies, cats, rabbits, hamsters, rabbits, hamsters, rabbits, hamsters,", "Puppies, cats, rabbits, hamsters."),
      ("We go up and down and up and down and up and down and up", "We go up and down and."),
    ])
  func removed(_ text: String, _ expected: String) { #expect(Repetition.removed(from: text) == expected) }

  @Test(
    "laughter, lists and what merely begins alike stay",
    arguments: [
      "No. No. No!", "Ha ha ha ha ha!", "I see a cat, a dog, a bird and a bee.", "I am here. I am here for you.", "",
      " ", "...",
      "One. Two. Three.", " Yes. Good night \u{1F43E}",
    ])
  func kept(_ text: String) { #expect(Repetition.removed(from: text) == text) }

  @Test("what was shown before counts, and nothing takes long")
  func after() {
    #expect(Repetition.removed(from: " Come here. I like rain.", after: "Come here!") == " I like rain.")
    let long = String(repeating: "a b ", count: 50_000)
    #expect(Repetition.removed(from: long) == "a b.")
    #expect(Repetition.removed(from: String(repeating: ". ", count: 50_000)).count == 100_000)
  }
}
