// SPDX-License-Identifier: Apache-2.0
/// What a model is told before a conversation, by what it is for.
package struct SystemText: Sendable, Equatable {
  package enum Part: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
    /// Who the pet is.
    case persona
    /// What it must do, whoever it is.
    case rules
    /// How it fares now.
    case state
    /// What it knows of the person.
    case memories
    /// What was said in turns that have been left out.
    case summary
  }

  package struct Piece: Sendable, Equatable {
    package let part: Part
    package var text: String
  }

  package private(set) var pieces: [Piece] = []

  package init() {}

  package init(_ part: Part, _ text: String) { append(part, text) }

  package var text: String { pieces.reduce(into: "") { $0 += $1.text } }

  /// Of one part, or of all others.
  package func text(_ part: Part, isLeftOut: Bool = false) -> String {
    pieces.reduce(into: "") { if ($1.part == part) != isLeftOut { $0 += $1.text } }
  }

  package mutating func append(_ part: Part, _ text: String) {
    guard !text.isEmpty else { return }
    pieces.append(Piece(part: part, text: text))
  }

  package static func + (first: SystemText, second: SystemText) -> SystemText {
    second.pieces.reduce(into: first) { $0.append($1.part, $1.text) }
  }

  /// Each piece changed on its own.
  func map(_ change: (String) -> String) -> SystemText {
    pieces.reduce(into: SystemText()) { $0.append($1.part, change($1.text)) }
  }

  /// How many of a text's tokens belong to each part: a token counts where its first byte lies.
  /// - Parameter lengths: bytes of each token, in order; what a tokenizer puts before the text belongs to the first part.
  package func count(_ lengths: [Int]) -> [Part: Int] {
    var counts: [Part: Int] = [:]
    var ends = pieces[...]
    var end = ends.first?.text.utf8.count ?? 0
    var place = lengths.reduce(text.utf8.count) { $0 - $1 }
    for length in lengths {
      while ends.count > 1, place >= end {
        ends = ends.dropFirst()
        end += ends.first?.text.utf8.count ?? 0
      }
      if let part = ends.first?.part { counts[part, default: 0] += 1 }
      place += length
    }
    return counts
  }
}
