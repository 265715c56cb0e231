// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetMemory
import Testing

@Suite("Facts as they are said to the person")
struct SecondPersonTests {
  private let person = SecondPerson()

  private struct Rules: Decodable {
    struct Rule: Decodable { let text: String? }
    let rules: [Rule]
    let fallbacks: [Rule]
  }

  @Test("every text that a rule of memory gives has a sentence")
  func all() throws {
    // What a rule writes, the kind, whom it is about, the text with its slots filled, and what is said.
    let rows = try JSONDecoder().decode([[String]].self, from: Fixture.data("second_person.json"))
    for row in rows {
      let kind = try #require(Fact.Kind(rawValue: row[1]))
      let clause = person.clause(Fixture.fact(kind, subject: row[2], value: "Ada", text: row[3]))
      #expect(clause == row[4], "\(row[3])")
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/PetMemory/memory.json")
    let rules = try JSONDecoder().decode(Rules.self, from: Data(contentsOf: file))
    let written = Set((rules.rules + rules.fallbacks).compactMap(\.text))
    #expect(written.subtracting(rows.map { $0[0] }) == [])
  }

  @Test("what a person wrote into the memory is told as it stands, without the marks of replies")
  func edited() {
    #expect(person.clause(Fixture.fact(.likes, value: "", text: "")) == "")
    #expect(person.clause(Fixture.fact(.likes, value: "x", text: "tea {sad; cry}")) == "you told me: tea sad; cry")
    #expect(person.clause(Fixture.fact(.likes, value: "x", text: "user")) == "you told me: user")
    #expect(
      person.clause(Fixture.fact(.custom, value: "x", text: "the key is under their mat"))
        == "the key is under your mat")
    #expect(person.clause(Fixture.fact(.people, subject: "Lily", value: "x", text: "Lily is 6")) == "Lily is 6")
  }

  @Test(
    "what was given and nobody took apart",
    arguments: [
      ("runs a marathon in October", "you run a marathon in October"),
      ("carries a red umbrella", "you carry a red umbrella"),
      ("watches birds", "you watch birds"), ("is learning Finnish", "you're learning Finnish"),
      ("has a horse named Saffron", "you have a horse named Saffron"),
      ("user's best friend is Ambrose", "your best friend is Ambrose"),
      ("sister is named Mia", "your sister is named Mia"),
      ("Tuesdays are for choir", "you told me: Tuesdays are for choir"), ("", ""),
    ])
  func given(_ text: String, clause: String) { #expect(person.clause(text) == clause) }
}
