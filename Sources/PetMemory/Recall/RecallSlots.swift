// SPDX-License-Identifier: Apache-2.0
import PetText

/// What the slots of a question hold, by name.
struct RecallSlots: Sendable {
  private var values: [String: String] = [:]

  init(_ match: FactMatch, in sentence: Sentence, _ rules: FactRules) {
    for (slot, range) in match.slots {
      let text = Sentence.written(sentence.tokens[range])
      switch slot {
      case .relation: values["relation"] = rules.relation(text.lowercased()) ?? text.lowercased()
      case .date: values["date"] = match.date?.day.written
      case .name, .proper: values["name"] = text.sentenceCased
      default: values[slot.rawValue] = text.lowercased()
      }
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// Nil where the template names what is not there, or a thing is more than two words: that is hardly one's own.
  func filled(_ template: String) -> String? {
    guard (values["thing"] ?? "").split(separator: " ").count <= 2 || !template.contains("{thing}") else { return nil }
    var text = template
    for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
    return text.contains("{") ? nil : text
  }
}
