// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetCompanion
import PetText

/// What pets look like: `prompts/faces.json`. All faces are drawn, and checked, when the file is read.
package struct Faces: Sendable, Decodable {
  private struct Pet: Sendable, Decodable {
    let colour: Colour
    let unicode: FaceArt
    let ascii: FaceArt
  }

  private struct Shared: Sendable, Decodable {
    let unicode: [String: FaceArt.Slots]
    let ascii: [String: FaceArt.Slots]
  }

  private struct Drawn: Sendable {
    let unicode: [Emotion: Face]
    let ascii: [Emotion: Face]
  }

  /// By short name.
  private let pets: [String: Drawn]
  private let other: Drawn
  private let gestures: [PetAction: String]
  let scales: [StateBars.Vital: StateBars.Scale]

  private enum CodingKeys: String, CodingKey { case shared, pets, other, emotions, gestures, bars }

  /// - Throws: `DecodingError`, or ``FaceError`` where a drawing is not as it must be.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let shared = try container.decode(Shared.self, forKey: .shared)
    let named = try container.decode([String: Colour].self, forKey: .emotions)
    for name in [named.keys.map(\.self), shared.unicode.keys.map(\.self), shared.ascii.keys.map(\.self)].joined() {
      guard Emotion(rawValue: name) != nil else { throw FaceError.unknownEmotion(name) }
    }
    pets = try container.decode([String: Pet].self, forKey: .pets).mapValues { try Self.draw($0, shared, named) }
    other = try Self.draw(try container.decode(Pet.self, forKey: .other), shared, named)

    let words = try container.decode([String: String].self, forKey: .gestures)
    gestures = try words.reduce(into: [:]) { gestures, entry in
      guard let action = PetAction(rawValue: entry.key) else { throw FaceError.unknownGesture(entry.key) }
      gestures[action] = entry.value
    }
    for action in PetAction.allCases where gestures[action] == nil { throw FaceError.missing(action.rawValue) }

    let bars = try container.decode([String: StateBars.Scale].self, forKey: .bars)
    scales = try StateBars.Vital.allCases.reduce(into: [:]) { scales, vital in
      guard let scale = bars[vital.rawValue], !scale.words.isEmpty else { throw FaceError.missing(vital.rawValue) }
      scales[vital] = scale
    }
  }

  /// The faces that are built in.
  package static let standard: Faces = BuiltInText.decode("faces.json", PackageResources.faces_json)

  /// Those who have a face of their own, in order.
  package var names: [String] { pets.keys.sorted() }

  /// - Parameter pet: the short name of a pet; anybody else has the face of a friendly nobody.
  package func face(of pet: String, _ emotion: Emotion, isASCII: Bool) -> Face? {
    let drawn = pets[pet.lowercased()] ?? other
    return (isASCII ? drawn.ascii : drawn.unicode)[emotion]
  }

  /// "wags tail"
  package func gesture(_ action: PetAction) -> String { gestures[action] ?? action.rawValue }

  private static func draw(_ pet: Pet, _ shared: Shared, _ colours: [String: Colour]) throws(FaceError) -> Drawn {
    let drawn = Drawn(
      unicode: try draw(pet.unicode, shared.unicode, pet.colour, colours),
      ascii: try draw(pet.ascii, shared.ascii, pet.colour, colours))
    for face in drawn.ascii.values {
      for character in face.lines.joined() + face.line {
        guard character.asciiValue.map({ (0x20..<0x7F).contains($0) }) == true else { throw .character(character) }
      }
    }
    return drawn
  }

  private static func draw(
    _ art: FaceArt, _ shared: [String: FaceArt.Slots], _ body: Colour, _ colours: [String: Colour]
  ) throws(FaceError) -> [Emotion: Face] {
    for name in (art.emotions ?? [:]).keys where Emotion(rawValue: name) == nil { throw .unknownEmotion(name) }
    var faces: [Emotion: Face] = [:]
    var seen: [[String]: Emotion] = [:]
    for emotion in Emotion.allCases {
      guard let colour = colours[emotion.rawValue] else { throw .missing("the colour of \(emotion.rawValue)") }
      let face = try art.face(emotion, shared: shared[emotion.rawValue] ?? [:], body: body, colour: colour)
      for character in face.lines.joined() + face.line where TerminalText.width(String(character)) != 1 {
        throw .character(character)
      }
      if let twin = seen.updateValue(emotion, forKey: face.lines) { throw .sameFace(twin, emotion) }
      faces[emotion] = face
    }
    return faces
  }
}
