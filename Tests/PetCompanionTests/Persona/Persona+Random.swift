// SPDX-License-Identifier: Apache-2.0
import SeededGenerator
import PetCompanion

extension String {
  /// Words, quotation marks, braces, macros, accents and emoji: up to `most` of them.
  static func random(most: Int, using random: inout SeededGenerator) -> String {
    let pieces = [
      "moon", "Tee", "a \"b\"", "\\", "é", "🐈‍⬛", "{{char}}", "{{user}}", "{x", "<3", "日本", "...", "50%", "/", "\u{301}",
    ]
    return (0..<Int.random(in: 1...most, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      .joined(separator: " ")
  }
}

extension Reply {
  static func random(of actions: [PetAction], using random: inout SeededGenerator) -> Reply {
    let text = String.random(most: 8, using: &random) + "."
    guard Bool.random(using: &random) else { return Reply(text: text) }
    return Reply(
      text: text, emotion: Emotion.allCases.randomElement(using: &random),
      actions: Array(actions.shuffled(using: &random).prefix(.random(in: 0...2, using: &random))), isWellFormed: true)
  }
}

extension Persona {
  /// A persona that files and cards can hold.
  static func random(using random: inout SeededGenerator) -> Persona {
    var persona = Persona(name: "Io \(Int.random(in: 0..<9, using: &random))", kind: "moth", temperament: "bold")
    func some<Value>(_ most: Int, _ make: (inout SeededGenerator) -> Value) -> [Value] {
      (0..<Int.random(in: 0...most, using: &random)).map { _ in make(&random) }
    }
    persona.actions = PetAction.allCases.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    let actions = persona.actions
    persona.description = Bool.random(using: &random) ? .random(most: 30, using: &random) : ""
    persona.personality = Bool.random(using: &random) ? .random(most: 30, using: &random) : ""
    persona.scenario = .random(most: 9, using: &random)
    persona.directions = Bool.random(using: &random) ? .random(most: 9, using: &random) : ""
    persona.version = "\(Int.random(in: 0..<99, using: &random)).1"
    persona.foods = some(4) { "soup \(Int.random(in: 0..<99, using: &$0))" }
    persona.games = some(4) { "tag \(Int.random(in: 0..<99, using: &$0))" }
    persona.habits = some(3) { .random(most: 9, using: &$0) }
    persona.facts = some(3) { .random(most: 9, using: &$0) }
    persona.greetings = some(4) { .random(of: actions, using: &$0) }
    persona.examples = some(4) { Exchange(user: .random(most: 5, using: &$0), pet: .random(of: actions, using: &$0)) }
    persona.drift = PetDrift(
      hunger: Double(Int.random(in: 1...16, using: &random)) / 4, mood: .random(in: 0.25...4, using: &random))
    return persona
  }
}
