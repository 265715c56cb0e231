// SPDX-License-Identifier: Apache-2.0
/// How something is said, as words with slots: `i live in|near {value}`. `a|b` is either, `a?` may be missing, `$` is where a
/// clause ends.
struct FactPattern: Sendable, Equatable, Decodable {
  enum Slot: String, Sendable {
    /// A phrase, to the end of its clause.
    case value
    /// All up to the next break.
    case rest
    /// Up to four words before the next word of the pattern.
    case thing
    /// What people and places are called: one word, or more that begin with capitals.
    case name
    /// As `name`, the first letter being a capital.
    case proper = "Name"
    case relation, animal, number, date
    // One of the list of that name.
    case feeling, illness, ailment, condition, diet, job, occasion, month
    /// A name that is common, also in small letters.
    case first
  }

  enum Element: Sendable, Equatable {
    case words([String], optional: Bool)
    case slot(Slot)
    /// Where a clause ends.
    case end
  }

  let elements: [Element]

  /// Nil where a slot has no known name, or the pattern is empty.
  init?(_ text: String) {
    var elements: [Element] = []
    for part in text.split(separator: " ") {
      if part.hasPrefix("{"), part.hasSuffix("}") {
        guard let slot = Slot(rawValue: String(part.dropFirst().dropLast())) else { return nil }
        elements.append(.slot(slot))
      } else if part == "$" {
        elements.append(.end)
      } else {
        let isOptional = part.hasSuffix("?")
        let words = part.dropLast(isOptional ? 1 : 0).split(separator: "|").map(String.init)
        elements.append(.words(words, optional: isOptional))
      }
    }
    guard !elements.isEmpty else { return nil }
    self.elements = elements
  }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let pattern = FactPattern(text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no pattern: \(text)"))
    }
    self = pattern
  }

  /// Whether a word with which it begins is one that `isThere`.
  func mayBegin(where isThere: (String) -> Bool) -> Bool {
    guard case .words(let first, optional: false) = elements[0] else { return true }
    return first.contains(where: isThere)
  }

  /// Whether it begins a clause: "the man I love" does not match "I love".
  var beginsClause: Bool {
    guard case .words(let words, _) = elements[0] else { return false }
    return words.contains("i") || words.contains("we") || words.contains("remember")
  }
}
