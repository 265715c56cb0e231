// SPDX-License-Identifier: Apache-2.0
import PetText

extension Persona {
  /// What a model of this project is told of it: three short lines of text without markers.
  package var pet: PromptFormat.Pet {
    PromptFormat.Pet(
      name: PromptText.line(name), kind: PromptText.line(kind), temperament: PromptText.line(temperament))
  }

  /// A greeting, its macros filled in.
  /// - Parameters:
  ///   - choice: any number; the same gives the same greeting.
  ///   - user: what the person is called; nobody is asked for a name that is known.
  /// - Returns: nil where the persona has none.
  package func greeting(_ choice: UInt64, user: String? = nil) -> Reply? {
    let fitting = greetings.filter { user == nil || !Self.asksForName($0.text) }
    let greetings = fitting.isEmpty ? greetings : fitting
    guard !greetings.isEmpty else { return nil }
    var reply = greetings[Int(choice % UInt64(greetings.count))]
    reply.text = PromptText.clean(macros(user ?? "friend").fill(reply.text))
    return reply
  }

  private static func asksForName(_ text: String) -> Bool {
    let text = text.lowercased()
    return text.contains("?") && ["call you", "your name", "who are you"].contains(where: text.contains)
  }

  /// The system text for models that were not trained for ``PromptFormat``, in sentences.
  ///
  /// Who it is comes first, always and whole, with its state and memories: a card's own words come after it and cannot take
  /// its place. Then as much of the rest as fits, in the order of ``PersonaPart``, each part cut at the end of a sentence.
  /// - Parameters:
  ///   - user: what the person is called.
  ///   - limit: bytes of UTF-8 for all but the first part. A token of English is 3 to 5 of them.
  /// - Complexity: O(n) in the length of the persona.
  package func instructions(
    _ state: PetState, memories: [String] = [], user: String? = nil, limit: Int = 2400, format: PromptFormat = .standard
  ) -> PersonaInstructions {
    var text = format.instructions(pet, state, memories: memories).map(PromptText.clean)
    var room = limit
    var cut: [PersonaPart] = []
    let macros = macros(user ?? "the person")
    for part in PersonaPart.allCases {
      var separator = part.separator
      for unit in units(of: part).map({ PromptText.clean(macros.fill($0)).trimmed }) where !unit.isEmpty {
        let left = room - separator.utf8.count
        // Half an exchange would be a question without an answer.
        let fitting = part == .examples && unit.utf8.count > left ? "" : unit.sentences(limit: left)
        if !fitting.isEmpty {
          text.append(part == .directions ? .rules : .persona, separator + fitting)
          room = left - fitting.utf8.count
          separator = "\n"
        }
        if fitting.utf8.count < unit.utf8.count {
          cut.append(part)
          break
        }
      }
    }
    return PersonaInstructions(text: text, cut: cut)
  }

  /// The parts that a model of this project is not told, which reads ``pet`` alone. It was trained on its own pets, and lacks nothing of
  /// them.
  package func partsLeftOut(format: PromptFormat = .standard) -> [PersonaPart] {
    guard !format.pets.values.contains(pet) else { return [] }
    return PersonaPart.allCases.filter { part in
      units(of: part).contains { !$0.isEmpty } && !(part == .personality && personality == temperament)
    }
  }

  private func macros(_ user: String) -> PromptMacros {
    PromptMacros(char: PromptText.line(name), user: PromptText.line(user))
  }

  private func units(of part: PersonaPart) -> [String] {
    switch part {
    case .description: [description]
    case .personality: [personality]
    case .habits: habits
    case .scenario: [scenario]
    case .favourites:
      [
        foods.isEmpty ? "" : "You like to eat \(foods.joined(separator: ", ")).",
        games.isEmpty ? "" : "You like to play \(games.joined(separator: ", ")).",
      ]
    case .facts: facts
    case .lore: lore
    case .directions: [directions]
    // Without their marks, which other models do not know.
    case .examples: examples.map { "{{user}}: \($0.user)\n{{char}}: \($0.pet.text)" }
    }
  }
}

/// Parts of a persona in a system text, the most needed first.
package enum PersonaPart: String, Sendable, CaseIterable, Codable {
  case description, personality, habits, scenario, favourites, facts, directions, examples, lore

  package var separator: String {
    switch self {
    case .description: "\n\n"
    case .examples: "\n\nYou speak like this:\n"
    case .lore: "\n\n"
    default: "\n"
    }
  }
}

/// A system text, and which parts of the persona are not in it, or not whole.
package struct PersonaInstructions: Sendable, Equatable {
  package let text: SystemText
  package let cut: [PersonaPart]

  package init(text: SystemText, cut: [PersonaPart]) {
    self.text = text
    self.cut = cut
  }
}
