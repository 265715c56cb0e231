// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetCompanion

/// How one pet is drawn: lines in which a run of one capital letter is a slot, as wide as the run, for what an emotion puts
/// there. What an editor sees is what a terminal shows.
struct FaceArt: Sendable, Decodable {
  typealias Slots = [String: String]

  let lines: [String]
  let line: String
  /// What stands in a slot for which an emotion names nothing.
  let rest: Slots?
  /// By name of the emotion.
  let emotions: [String: Slots]?

  /// Eyes, mouth and mark; other slots are parts of the body.
  private static let feeling: Set<Character> = ["L", "R", "M", "X"]

  /// - Parameter shared: what all pets have in common in this emotion.
  func face(_ emotion: Emotion, shared: Slots, body: Colour, colour: Colour) throws(FaceError) -> Face {
    let layers = [emotions?[emotion.rawValue] ?? [:], shared, rest ?? [:]]
    var rows: [[Face.Piece]] = []
    for line in lines { rows.append(try Self.pieces(line, emotion, layers)) }
    // A sleeping cloud has its feet tucked in.
    while rows.last?.isEmpty == true { rows.removeLast() }
    let face = Face(rows: rows, inline: try Self.pieces(line, emotion, layers), body: body, emotion: colour)
    guard Face.lineRange.contains(rows.count), face.width <= Face.columnLimit else {
      throw .drawing(lines: rows.count, columns: face.width)
    }
    return face
  }

  private static func pieces(_ line: String, _ emotion: Emotion, _ layers: [Slots]) throws(FaceError) -> [Face.Piece] {
    var pieces: [Face.Piece] = []
    var rest = line[...]
    while let first = rest.first {
      let run = rest.prefix { $0 == first }
      let isSlot = first.isASCII && first.isUppercase
      let text = isSlot ? try fill(first, run.count, emotion, layers) : String(run)
      let showsEmotion = isSlot && feeling.contains(first)
      if let last = pieces.last, last.showsEmotion == showsEmotion {
        pieces[pieces.count - 1].text += text
      } else {
        pieces.append(Face.Piece(text: text, showsEmotion: showsEmotion))
      }
      rest = rest[run.endIndex...]
    }
    while let last = pieces.popLast() {
      let text = TerminalText.trimmingEnd(last.text)
      guard text.isEmpty else { return pieces + [Face.Piece(text: text, showsEmotion: last.showsEmotion)] }
    }
    return []
  }

  private static func fill(
    _ slot: Character, _ width: Int, _ emotion: Emotion, _ layers: [Slots]
  ) throws(FaceError) -> String {
    guard let text = layers.lazy.compactMap({ $0[String(slot)] }).first else {
      throw .emptySlot(slot, emotion: emotion)
    }
    let taken = TerminalText.width(text)
    guard taken <= width else { throw .tooWide(slot: slot, text: text, limit: width) }
    return text + String(repeating: " ", count: width - taken)
  }
}
