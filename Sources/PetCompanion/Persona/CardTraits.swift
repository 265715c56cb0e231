// SPDX-License-Identifier: Apache-2.0
import PetText

/// The kind and the temperament that a card's own words tell of, for models that read no more of it.
///
/// Cards are prose ("Vex is a gruff sky pirate who..."), lists ("Species: cat girl") or attributes of the form that is called W++
/// (`Species("cat girl") Personality("gruff" + "loyal")`).
struct CardTraits: Equatable {
  let kind: String
  let temperament: String

  static let usualKind = "companion"
  static let usualTemperament = "friendly"

  /// - Complexity: O(n) in the texts.
  init(_ card: CharacterCard) {
    let texts = [card.description, card.personality].map { Self.named($0, card.name) }
    kind =
      texts.lazy.compactMap { Self.attribute(["species", "race", "kind", "creature"], in: $0) }.compactMap(Self.short)
      .first
      ?? texts.lazy.compactMap(Self.noun).first ?? Self.usualKind
    let traits = ["personality", "temperament", "traits", "mind", "character"]
    let told =
      Self.attribute(traits, in: texts[1]) ?? (texts[1].isEmpty ? Self.attribute(traits, in: texts[0]) : texts[1])
    temperament = told.flatMap(Self.adjectives) ?? Self.usualTemperament
  }

  /// One line for each, with the name in the place of its macro.
  private static func named(_ text: String, _ name: String) -> String {
    let name = PromptText.line(name)
    let filled = PromptMacros(char: name, user: "you").fill(text)
    return filled.split(whereSeparator: \.isNewline).map { PromptText.line(String($0)) }.joined(separator: "\n")
  }

  /// What stands behind one of these words and a colon, an equals sign or a bracket, up to the end of the line or of the bracket.
  private static func attribute(_ names: [String], in text: String) -> String? {
    for line in text.split(separator: "\n") {
      var rest = line
      while let mark = rest.firstIndex(where: { ":=(".contains($0) }) {
        let before = rest[..<mark].words(of: .letters).last
        let after = rest[rest.index(after: mark)...]
        if let before, names.contains(before) {
          let end = rest[mark] == "(" ? ")" : ";]"
          let value = after.prefix { !end.contains($0) }.replacing("\"", with: "").replacing(" + ", with: ", ")
          let plain = value.drop { " \t:=*'".contains($0) }
          if !plain.isEmpty { return plain.trimmed }
        }
        rest = after
      }
    }
    return nil
  }

  /// Words at which a description of what somebody is goes over to what else there is to say.
  private static let ends: Set = [
    "who", "that", "which", "whose", "with", "from", "in", "at", "on", "of", "and", "but", "living", "named", "called",
    "known",
    "where", "when", "while", "for", "to", "she", "he", "it", "they", "by", "as", "than",
  ]
  private static let articles: Set = ["a", "an", "the"]
  private static let verbs: Set = ["is", "are", "am", "was", "i'm", "you're"]

  /// The noun of the first "is a ..." of a text, with its adjectives.
  private static func noun(_ text: String) -> String? {
    let words = text.split(whereSeparator: \.isWhitespace)
    for index in words.indices.dropLast(2)
    where verbs.contains(words[index].lowercased()) && articles.contains(words[index + 1].lowercased()) {
      var found: [Substring] = []
      for word in words[(index + 2)...].prefix(6) {
        guard !ends.contains(word.lowercased()) else { break }
        found.append(word.prefix { !".,;:!?()[]\"*".contains($0) })
        if found.last?.count != word.count { break }
      }
      if let noun = short(found.joined(separator: " ")), noun.contains(where: \.isLetter) { return noun }
    }
    return nil
  }

  /// The first item of a list, where it is short enough to stand in a line: cut at a word.
  private static func short(_ text: String) -> String? {
    let words = text.prefix { !".,;/".contains($0) }.split(whereSeparator: \.isWhitespace)
    return joined(words, limit: 40)
  }

  /// Up to three of the first short items of a list, else the first words of the first sentence.
  private static func adjectives(_ text: String) -> String? {
    let sentence = text.prefix { !".\n".contains($0) }
    let items = sentence.replacing(" and ", with: ",").replacing("+", with: ",").split { ",;/".contains($0) }
      .map { item in
        let words = item.split(whereSeparator: \.isWhitespace)
        // "Vex is stubborn": the last words of the first item.
        let verb = words.prefix(4).lastIndex { verbs.contains($0.lowercased()) }
        return verb.map { words[words.index(after: $0)...] } ?? words[...]
      }
    let short = items.prefix { (1...2).contains($0.count) && $0.allSatisfy { !ends.contains($0.lowercased()) } }
      .map { $0.joined(separator: " ") }
    for count in [3, 2, 1] where short.count >= count {
      let chosen = short.prefix(count)
      let text = chosen.listed
      if text.utf8.count <= PersonaLimits.nameBytes { return text }
    }
    return items.first.flatMap { joined(Array($0), limit: PersonaLimits.nameBytes) }
  }

  private static func joined(_ words: [Substring], limit: Int) -> String? {
    var text = ""
    for word in words {
      let longer = text.isEmpty ? String(word) : "\(text) \(word)"
      guard longer.utf8.count <= limit else { break }
      text = longer
    }
    return text.isEmpty ? nil : text
  }
}
