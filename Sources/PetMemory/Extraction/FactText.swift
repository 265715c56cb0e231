// SPDX-License-Identifier: Apache-2.0
/// Finds and replaces the value in the text of a fact.
enum FactText {
  /// The text with another value; nil where it does not say the value as a whole.
  ///
  /// A value such as "us" may stand in the words around it, too: the templates of the rules tell which is meant, else the last does.
  /// - Complexity: the number of rules times the length of the text.
  static func replacing(value: String, of fact: Fact, _ rules: FactRules) -> String? {
    guard !fact.value.isEmpty else { return nil }
    let places = fact.text.ranges(of: fact.value).filter { isWhole($0, in: fact.text) }
    guard let last = places.last else { return nil }
    let templates = rules.rules.filter { $0.kind == fact.kind }.compactMap { rule in
      rule.text.flatMap { halves($0, at: rule.value ?? "{value}") }
    }
    let place = places.first { place in
      templates.contains { fits(fact.text[..<place.lowerBound], $0) && fits(fact.text[place.upperBound...], $1) }
    }
    var text = fact.text
    text.replaceSubrange(place ?? last, with: value)
    return text
  }

  /// What a template says before and after its last mention of `value`; nil where it has none.
  private static func halves(_ template: String, at value: String) -> (Substring, Substring)? {
    template.ranges(of: value).last.map { (template[..<$0.lowerBound], template[$0.upperBound...]) }
  }

  /// Whether the text is the template with something in the place of each slot.
  private static func fits(_ text: Substring, _ template: Substring) -> Bool {
    guard let open = template.firstIndex(of: "{") else { return text == template }
    let fixed = template[..<open]
    guard text.hasPrefix(fixed), let close = template[open...].firstIndex(of: "}") else { return false }
    let (rest, after) = (text.dropFirst(fixed.count), template[template.index(after: close)...])
    return rest.indices.contains { fits(rest[rest.index(after: $0)...], after) }
  }

  /// Whether no word goes on at either end.
  private static func isWhole(_ range: Range<String.Index>, in text: String) -> Bool {
    func isWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    let (before, after) = (text[..<range.lowerBound].last, text[range.upperBound...].first)
    return !(isWord(before) && isWord(text[range].first)) && !(isWord(after) && isWord(text[range].last))
  }
}
