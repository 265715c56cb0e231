// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// One pet in one emotion: a small drawing, and a form of it that fits in a line.
package struct Face: Sendable, Equatable {
  /// A stretch of a drawing, in one colour.
  struct Piece: Sendable, Equatable {
    var text: String
    /// Whether it shows the emotion (eyes, mouth, the mark) or the body.
    let showsEmotion: Bool
  }

  package static let lineRange = 3...5
  package static let columnLimit = 16

  /// No line has spaces at its end.
  let rows: [[Piece]]
  let inline: [Piece]
  let body: Colour
  let emotion: Colour

  /// Columns of the widest line.
  package var width: Int { lines.map(TerminalText.width).max() ?? 0 }

  /// The drawing without colour.
  package var lines: [String] { rows.map { $0.map(\.text).joined() } }

  /// The form that fits in a line, without colour.
  package var line: String { inline.map(\.text).joined() }

  package func lines(_ depth: ColourDepth) -> [String] { rows.map { painted($0, depth) } }

  package func line(_ depth: ColourDepth) -> String { painted(inline, depth) }

  private func painted(_ pieces: [Piece], _ depth: ColourDepth) -> String {
    pieces.map { ($0.showsEmotion ? emotion : body).paint($0.text, depth) }.joined()
  }
}
