// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetCompanion

/// How a pet is, as bars with words, one line, or a sentence.
package struct StateBars: Sendable, Equatable {
  package enum Vital: String, Sendable, CaseIterable {
    case hunger, energy, mood, affection, health
  }

  /// What a value from 0 to 100 is called, and whether much of it is good.
  struct Scale: Sendable, Equatable, Decodable {
    enum Direction: String, Sendable, Decodable { case better, worse }

    let moreIs: Direction
    let words: [String]

    enum CodingKeys: String, CodingKey {
      case words
      case moreIs = "more_is"
    }

    func word(_ value: Int) -> String { words.isEmpty ? "" : words[value * words.count / 101] }

    func colour(_ value: Int) -> Colour {
      switch moreIs == .better ? value : 100 - value {
      case ..<25: Colour(extended: 167, basic: 31)
      case ..<50: Colour(extended: 178, basic: 33)
      default: Colour(extended: 107, basic: 32)
      }
    }
  }

  private struct Row: Sendable, Equatable {
    let vital: Vital
    let value: Int
    let scale: Scale
    var word: String { scale.word(value) }
  }

  private let rows: [Row]

  /// - Parameters: from 0 to 100; what is outside becomes the nearest of it.
  package init(_ state: PetState, affection: Int, health: Int, faces: Faces = .standard) {
    let values = [state.hunger, state.energy, state.mood, affection, health]
    rows = zip(Vital.allCases, values).compactMap { vital, value in
      faces.scales[vital].map { Row(vital: vital, value: min(max(value, 0), 100), scale: $0) }
    }
  }

  /// "Mochi is fed, awake, happy, fond and well."
  package func sentence(_ name: String) -> String {
    let words = rows.map(\.word)
    return "\(TerminalText.label(name)) is \(words.dropLast().joined(separator: ", ")) and \(words.last ?? "")."
  }

  /// A bar for each, or fewer lines where `columns` is too narrow for them.
  package func lines(on screen: Screen, columns: Int? = nil) -> [String] {
    let columns = min(columns ?? screen.columns, screen.columns)
    let (label, word) = (width(of: \.vital.rawValue), width(of: \.word))
    let cells = min(columns - label - word - 2, 20)
    guard cells >= 5 else { return line(on: screen, columns: columns) }
    return rows.map { row in
      let padding = String(repeating: " ", count: label - row.vital.rawValue.count)
      return "\(row.vital.rawValue)\(padding) \(bar(row, cells, screen)) \(row.word)"
    }
  }

  /// In one line: names with small bars, or only the words; in more lines where even those do not fit.
  package func line(on screen: Screen, columns: Int? = nil) -> [String] {
    let columns = min(columns ?? screen.columns, screen.columns)
    let cells = 3
    let bare = rows.reduce(0) { $0 + $1.vital.rawValue.count + 1 + cells } + 2 * (rows.count - 1)
    if bare <= columns {
      return [rows.map { "\($0.vital.rawValue) \(bar($0, cells, screen))" }.joined(separator: "  ")]
    }
    return TerminalText.wrapped(rows.map(\.word).joined(separator: ", "), columns: columns)
  }

  private func width(of text: (Row) -> String) -> Int { rows.map { TerminalText.width(text($0)) }.max() ?? 0 }

  private func bar(_ row: Row, _ cells: Int, _ screen: Screen) -> String {
    // Nothing looks like nothing and all like all; between them at least one cell is of each kind.
    let rounded = (row.value * cells + 50) / 100
    let filled = row.value == 0 ? 0 : row.value == 100 ? cells : min(max(rounded, 1), cells - 1)
    let (full, empty) = screen.form == .unicode ? ("▓", "░") : ("#", "-")
    let colour = row.scale.colour(row.value)
    return colour.paint(String(repeating: full, count: filled), screen.colours)
      + String(repeating: empty, count: cells - filled)
  }
}
