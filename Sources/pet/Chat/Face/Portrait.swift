// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// A face with words beside it.
package enum Portrait {
  private static let column = Face.columnLimit + 1
  /// Words of two gestures beside a face.
  private static let leastRoom = 20

  /// Columns for the words beside a face.
  package static func room(_ screen: Screen) -> Int { max(1, screen.columns - column) }

  /// Whether a face of several lines and words have room beside each other.
  package static func fits(_ screen: Screen) -> Bool { screen.columns - column >= leastRoom }

  /// - Parameter words: lines of at most ``room(_:)`` columns; they may be coloured.
  package static func lines(_ face: Face, beside words: [String], on screen: Screen) -> [String] {
    let (plain, drawn) = (face.lines, face.lines(screen.colours))
    // In the middle of the face, but never above it.
    let first = max(0, (drawn.count - words.count + 1) / 2)
    return (0..<max(drawn.count, first + words.count)).map { row in
      let word = row >= first && row - first < words.count ? words[row - first] : ""
      guard row < drawn.count else { return String(repeating: " ", count: column) + word }
      let padding = String(repeating: " ", count: column - TerminalText.width(plain[row]))
      return word.isEmpty ? drawn[row] : drawn[row] + padding + word
    }
  }

  /// The face in a line with phrases behind it, or above them where a line is too short for both.
  package static func line(_ face: Face, _ phrases: [String], on screen: Screen) -> [String] {
    let indent = TerminalText.width(face.line) + 1
    let drawn = face.line(screen.colours)
    guard screen.columns - indent >= leastRoom else {
      return [drawn] + TerminalText.wrapped(whole: phrases, columns: screen.columns)
    }
    return TerminalText.wrapped(whole: phrases, columns: screen.columns - indent).enumerated().map { row, text in
      (row == 0 ? drawn + " " : String(repeating: " ", count: indent)) + text
    }
  }
}
