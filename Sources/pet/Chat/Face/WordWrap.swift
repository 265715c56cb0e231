// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// Breaks text between words as it comes, so that a terminal need not break it within one.
///
/// Only a word that may still grow is held back; however the text is cut into pieces, the same comes out.
package struct WordWrap: Sendable {
  private let columns: Int
  /// Columns taken in the line that was begun.
  private var column = 0
  private var gap = ""
  private var word = ""
  private var wordWidth = 0

  /// - Parameter columns: of a line, at least 1.
  package init(columns: Int) {
    self.columns = max(1, columns)
  }

  /// What can be shown after `piece` has come. O(length of the piece + width of a line).
  package mutating func append(_ piece: String) -> String {
    // The last character may have been only the beginning of one.
    let text = word + piece
    (word, wordWidth) = ("", 0)
    var shown = ""
    for character in text { shown += take(character) }
    return shown
  }

  /// The rest, when nothing more comes.
  package mutating func finish() -> String { place() }

  private mutating func take(_ character: Character) -> String {
    switch character {
    case "\n":
      let shown = place() + "\n"
      (gap, column) = ("", 0)
      return shown
    case " ", "\t":
      let shown = place()
      if gap.count < columns { gap += " " }
      return shown
    default: break
    }
    let width = TerminalText.width(character)
    var shown = ""
    if canBreak(before: character, width) || wordWidth + width > columns { shown = place() }
    word.append(character)
    wordWidth += width
    return shown
  }

  /// Scripts without spaces break between any two characters, but not before what closes: a full stop, a bracket.
  private func canBreak(before character: Character, _ width: Int) -> Bool {
    guard let last = word.last, width == 2 || TerminalText.width(last) == 2 else { return false }
    switch character.unicodeScalars.first?.properties.generalCategory {
    case .closePunctuation, .finalPunctuation, .otherPunctuation: return false
    default: return true
    }
  }

  /// The word with the gap before it, in the next line where there is no room left in this one.
  private mutating func place() -> String {
    guard !word.isEmpty else { return "" }
    let taken = column + gap.count + wordWidth
    let shown: String
    if taken <= columns {
      shown = gap + word
      column = taken
    } else {
      shown = (column > 0 ? "\n" : "") + word
      column = wordWidth
    }
    (gap, word, wordWidth) = ("", "", 0)
    return shown
  }
}
