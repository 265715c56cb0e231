// SPDX-License-Identifier: Apache-2.0
import PetText
import Testing

@Suite("Endings and pronouns")
struct StemTests {
  // By `stem` of Training/lib/recall.py.
  @Test(
    "the endings that a network was trained without are cut",
    arguments: [
      ("playing", "play"), ("plays", "play"), ("cherries", "cherri"), ("horse", "hors"), ("horses", "hors"),
      ("ring", "ring"), ("used", "used"), ("bus", "bus"), ("naïve", "naïv"),
    ])
  func suffix(_ word: String, _ stem: String) { #expect(Stem.suffix(cutFrom: word) == stem) }

  @Test(
    "words that mean the same have one stem",
    arguments: [
      ["play", "plays", "playing", "played"], ["cherry", "cherries"], ["run", "running"], ["watch", "watches"],
      ["bake", "baking", "baked"],
    ])
  func inflection(_ words: [String]) { #expect(Set(words.map(Stem.inflection)).count == 1) }

  @Test("short words and those that only look inflected stay apart")
  func others() {
    #expect(["is", "bus", "red", "king", "glass"].map(Stem.inflection) == ["is", "bus", "red", "king", "glass"])
  }

  @Test("what is kept of a person and said to them is about them again")
  func pronouns() {
    for (own, kept) in [("my", "your"), ("me", "you"), ("mine", "yours"), ("myself", "yourself")] {
      #expect(Pronouns.firstToThird[own].flatMap { Pronouns.thirdToSecond[$0] } == kept)
    }
    #expect(Pronouns.secondToFirst["your"] == "my" && Pronouns.secondToFirst["yourself"] == "myself")
  }
}
