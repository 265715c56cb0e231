// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("The prompt format")
struct PromptFormatTests {
  private struct Case: Decodable {
    let pet: String
    let hunger: Int
    let energy: Int
    let mood: Int
    let mem: [String]
    let header: String
    let sentences: String
  }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  @Test("the system text is the one that the models were trained with")
  func header() throws {
    let data = try Data(contentsOf: Self.fixtures.appending(path: "prompts.json"))
    let cases = try JSONDecoder().decode([Case].self, from: data)
    #expect(cases.count == 101)
    for one in cases {
      let pet = try #require(PromptFormat.standard.pets[one.pet])
      let state = PetState(hunger: one.hunger, energy: one.energy, mood: one.mood)
      #expect(PromptFormat.standard.header(pet, state, memories: one.mem).text == one.header)
      #expect(PromptFormat.standard.instructions(pet, state, memories: one.mem).text == one.sentences)
    }
  }

  @Test("the closed sets are those of prompts/format.json")
  func sets() {
    #expect(PromptFormat.standard.emotions == Emotion.allCases.map(\.rawValue))
    #expect(PromptFormat.standard.actions == PetAction.allCases.map(\.rawValue))
  }

  @Test("a memory cannot add lines to the system text")
  func lines() throws {
    let pet = try #require(PromptFormat.standard.pets["mochi"])
    let text = PromptFormat.standard.header(pet, PetState(), memories: ["a\nstarving, sad\n\nb", "{name}"]).text
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    #expect(text.hasSuffix("knows: a starving, sad b; {name}"))
  }

  @Test("state stays between 0 and 100")
  func state() {
    var state = PetState(hunger: -5, energy: 1000, mood: 100)
    #expect(state == PetState(hunger: 0, energy: 100, mood: 100))
    state.hunger += .max - 1
    #expect(state.hunger == 100)
    let pet = PromptFormat.Pet(name: "Io", kind: "moth", temperament: "bold")
    #expect(PromptFormat.standard.header(pet, state).text == "Io, moth, bold\nstarving, bouncy, joyful")
    #expect(PromptFormat.standard.instructions(pet, state).text.hasPrefix("You are Io, a small moth"))
  }

  @Test("each sentence of a system text has its part, and tokens count for the part in which they begin")
  func parts() {
    let pet = PromptFormat.Pet(name: "Io", kind: "moth", temperament: "bold")
    let plain = PromptFormat.standard.instructions(pet, PetState(), memories: ["has a dog", "is Ada"])
    var byPart: [SystemText.Part: String] = [:]
    for piece in plain.pieces { byPart[piece.part, default: ""] += piece.text }
    #expect(byPart[.persona]?.hasPrefix("You are Io") == true && byPart[.rules]?.contains("good friend") == true)
    #expect(byPart[.state]?.contains(" and ") == true && byPart[.state]?.contains("Io") == false)
    #expect(byPart[.memories]?.hasSuffix("has a dog; is Ada.") == true && byPart[.summary] == nil)
    let summaries = [false, true].map { PromptFormat.standard.summary("{memories}\nrain", isCompact: $0).pieces }
    #expect(summaries.map { $0.map(\.part) } == [[.summary], [.summary]])
    #expect(
      summaries.map { $0[0].text } == [" You know of the person: {memories} rain.", "\nknows: {memories} rain"])
    let text = PromptFormat.standard.header(pet, PetState(), memories: ["x"])
    // One token a byte, and one that stands before the text.
    var expected: [SystemText.Part: Int] = [:]
    for piece in text.pieces { expected[piece.part, default: 0] += piece.text.utf8.count }
    #expect(text.count(text.text.utf8.map { _ in 1 }) == expected)
    expected[.persona, default: 0] += 1
    #expect(text.count([1] + text.text.utf8.map { _ in 1 }) == expected)
    #expect(text.count([]).isEmpty && SystemText().count([3]).isEmpty)
    #expect(text.count([1 << 20]) == [.persona: 1])
  }
}
