// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("What a pet says first")
struct InitiativeLinesTests {
  private static let occasions: [Initiative] =
    Absence.allCases.map { .welcomeBack($0) } + PetNeed.allCases.map { .need($0) } + [.checkIn]

  @Test("all lines are in form, short, and different")
  func form() {
    let lines = InitiativeLines.standard.all.values.flatMap(\.values).joined()
    #expect(lines.count >= 124 && Set(lines).count == lines.count)
    for written in lines {
      let reply = Reply(written: written)
      #expect(reply.isWellFormed && reply.written == written, "\(written)")
      #expect(reply.text.split(separator: " ").count <= 32 && reply.text.utf8.allSatisfy { $0 < 0x80 }, "\(written)")
    }
  }

  @Test("every pet of the project has lines of its own, another pet the plain ones")
  func temperaments() throws {
    for pet in PromptFormat.standard.pets.values {
      let own = try #require(InitiativeLines.standard.reply(to: .checkIn, temperament: pet.temperament, choice: 0))
      let plain = try #require(InitiativeLines.standard.reply(to: .checkIn, temperament: "odd", choice: 0))
      #expect(own != plain, "\(pet.name)")
    }
    let shy = InitiativeLines.standard.reply(to: .checkIn, temperament: "very SHY, wise", choice: 1)
    #expect(shy == InitiativeLines.standard.reply(to: .checkIn, temperament: "shy", choice: 1))
    for temperament in ["", "🦔", String(repeating: "x ", count: 50_000), "plain"] {
      #expect(InitiativeLines.standard.reply(to: .checkIn, temperament: temperament, choice: 1) != nil)
    }
  }

  @Test("never the same twice in a row, whatever the choice", arguments: [0, 1, 2, 7, UInt64.max])
  func variety(_ choice: UInt64) throws {
    for temperament in InitiativeLines.standard.all.keys {
      for occasion in Self.occasions {
        var last: String?
        for _ in 0..<6 {
          let lines = InitiativeLines.standard
          let reply = try #require(lines.reply(to: occasion, temperament: temperament, choice: choice, last: last))
          #expect(reply.text != last)
          last = reply.text
        }
      }
    }
    #expect(InitiativeLines.standard.reply(to: .nothing(until: 5), temperament: "shy", choice: choice) == nil)
  }

  @Test("what it does while it asks is allowed in that state")
  func actions() throws {
    let states: [PetNeed: PetState] = [
      .food: PetState(hunger: 100), .care: PetState(health: 10), .rest: PetState(energy: 0),
      .company: PetState(mood: 0),
    ]
    for (need, state) in states {
      for (temperament, set) in InitiativeLines.standard.all {
        for choice in 0..<UInt64(set[need.rawValue]?.count ?? 0) {
          let lines = InitiativeLines.standard
          let reply = try #require(lines.reply(to: .need(need), temperament: temperament, choice: choice))
          #expect(reply.actions.allSatisfy(PetManner(state).allows), "\(reply.text)")
        }
      }
    }
  }

  @Test(
    "a file of lines that would leave a pet without words is refused",
    arguments: ["{}", "[]", #"{"plain": {}}"#, #"{"shy": {"food": ["a {happy}", "b {happy}"]}}"#])
  func refused(_ text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(InitiativeLines.self, from: Data(text.utf8)) }
  }
}
