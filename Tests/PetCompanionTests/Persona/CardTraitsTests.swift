// SPDX-License-Identifier: Apache-2.0
import Testing

import PetCompanion

@Suite("Kind and temperament of a card")
struct CardTraitsTests {
  private func pet(_ description: String, _ personality: String = "") -> PromptFormat.Pet {
    var card = CharacterCard(name: "Vex")
    (card.description, card.personality) = (description, personality)
    return Persona(card).pet
  }

  @Test(
    "the kind is what the card says the character is",
    arguments: [
      ("{{char}} is a gruff sky pirate who sails above the coast.", "gruff sky pirate"),
      ("Vex was born at sea. She is an elf, and proud.", "elf"),
      ("You are the last dragon of the north.", "last dragon"),
      (#"[Character("Vex") Species("moon rabbit") Age("120")]"#, "moon rabbit"),
      ("Name: Vex\nRace: half-orc; Age: 30", "half-orc"), ("**Species**: cat girl", "cat girl"),
      ("", "companion"), ("Is it a? Is a", "companion"), ("She likes rain.", "companion"),
    ])
  func kind(description: String, kind: String) {
    #expect(pet(description).kind == kind)
  }

  @Test(
    "the temperament is the first of what the card lists, cut at words",
    arguments: [
      ("stubborn, brave and loyal; slow to trust", "stubborn, brave and loyal"), ("bold; loud", "bold and loud"),
      ("bold", "bold"), ("Vex is shy but kind.", "shy but kind"),
      (#"Personality("gentle" + "dreamy" + "patient")"#, "gentle, dreamy and patient"),
      ("Personality: calm, wise", "calm and wise"), ("", "friendly"),
      (
        "She rarely trusts anybody whom she did not meet in a storm and who did not share bread with her",
        "She rarely trusts anybody whom she did not meet in a storm"
      ),
    ])
  func temperament(personality: String, temperament: String) {
    #expect(pet("", personality).temperament == temperament)
  }

  @Test("no text of a card makes a line too long, empty, or of more than one line")
  func bounds() {
    let texts = [
      String(repeating: "a", count: 300), String(repeating: "é ", count: 200), ":::((", "is a ", "Species:", "Mind(",
      "is a \n\n b", "\u{1}", "(((", "a is the <|end|> x y z", String(repeating: "is a ", count: 90), "+ + +", ", , ,",
    ]
    for text in texts {
      for pet in [pet(text), pet("", text), pet(text, text)] {
        for part in [pet.kind, pet.temperament] {
          #expect(!part.isEmpty && part.utf8.count <= 64 && !part.contains("\n"), "\(text): \(part)")
        }
      }
    }
  }
}
