// SPDX-License-Identifier: Apache-2.0
import PetCompanion

/// What is wrong with `prompts/faces.json`.
package enum FaceError: Error, Equatable, CustomStringConvertible {
  case notAColour(basic: Int)
  case unknownEmotion(String)
  case unknownGesture(String)
  case missing(String)
  /// A slot that nothing fills.
  case emptySlot(Character, emotion: Emotion)
  /// Text wider than its slot, which would move what stands beside it.
  case tooWide(slot: Character, text: String, limit: Int)
  case drawing(lines: Int, columns: Int)
  case sameFace(Emotion, Emotion)
  /// A character that cannot be part of a drawing of this kind.
  case character(Character)

  package var description: String {
    switch self {
    case .notAColour(let basic): "\(basic) is no colour of the sixteen: 30...37 and 90...97 are"
    case .unknownEmotion(let name): "\"\(name)\" is no emotion"
    case .unknownGesture(let name): "\"\(name)\" is no gesture"
    case .missing(let what): "\(what) is missing"
    case .emptySlot(let slot, let emotion): "nothing is given for \(slot) of the emotion \"\(emotion.rawValue)\""
    case .tooWide(let slot, let text, let limit): "\"\(text)\" is wider than the \(limit) columns of its slot \(slot)"
    case .drawing(let lines, let columns):
      "a face of \(lines) lines and \(columns) columns: 3 to 5 lines of at most 16 columns are shown"
    case .sameFace(let one, let other): "\"\(one.rawValue)\" and \"\(other.rawValue)\" look the same"
    case .character(let character): "\"\(character)\" cannot be part of this drawing"
    }
  }
}
