// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing
import PetCommandLine
import pet

@Suite("Faces of the pets")
struct FacesTests {
  private static let faces = Faces.standard
  private static let file = Shown.repository.appending(path: "prompts/faces.json")

  private static func face(_ pet: String, _ emotion: Emotion, _ isASCII: Bool) throws -> Face {
    try #require(faces.face(of: pet, emotion, isASCII: isASCII))
  }

  @Test("every pet has a face of its own for every emotion, and no two are alike", arguments: [false, true])
  func distinct(isASCII: Bool) throws {
    #expect(Self.faces.names == PromptFormat.standard.pets.keys.sorted())
    var seen: Set<[String]> = []
    for pet in Self.faces.names + ["somebody else"] {
      var inline: Set<String> = []
      for emotion in Emotion.allCases {
        let face = try Self.face(pet, emotion, isASCII)
        #expect(seen.insert(face.lines).inserted, "\(pet), \(emotion)")
        inline.insert(face.line)
      }
      #expect(inline.count == Emotion.allCases.count, "\(pet)")
    }
    #expect(seen.count == 7 * 14)
  }

  @Test("a face is small, and straight at its right side", arguments: [false, true])
  func size(isASCII: Bool) throws {
    for pet in Self.faces.names + [""] {
      for emotion in Emotion.allCases {
        let face = try Self.face(pet, emotion, isASCII)
        #expect((3...5).contains(face.lines.count))
        for line in face.lines + [face.line] {
          #expect(TerminalText.width(line) <= 16, "\(line)")
          #expect(!line.hasSuffix(" ") && TerminalText.sanitize(line) == line)
          if isASCII { #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(line)") }
        }
      }
    }
  }

  @Test("colours change nothing but the colour, and end with the drawing")
  func colours() throws {
    for pet in Self.faces.names + ["?"] {
      for emotion in Emotion.allCases {
        let face = try Self.face(pet, emotion, false)
        #expect(face.lines(.none) == face.lines && face.line(.none) == face.line)
        for depth in [ColourDepth.basic, .extended] {
          #expect(face.lines(depth).map(Shown.withoutColours) == face.lines)
          for line in face.lines(depth) where line.contains("\u{1B}") { #expect(line.hasSuffix("\u{1B}[39m")) }
          #expect(face.line(depth).contains("\u{1B}[38;5;") == (depth == .extended))
        }
      }
    }
  }

  @Test("the name of a pet is found in any case, a stranger has a face too")
  func names() throws {
    #expect(try Self.face("MOCHI", .happy, false) == Self.face("mochi", .happy, false))
    let stranger = try Self.face("\u{1B}]0;x", .happy, true)
    #expect(stranger == (try Self.face("", .happy, true)))
    #expect(stranger != (try Self.face("mochi", .happy, true)))
  }

  @Test("every gesture has words, none of them those of another")
  func gestures() {
    let words = PetAction.allCases.map(Self.faces.gesture)
    #expect(Set(words).count == PetAction.allCases.count)
    for word in words { #expect(!word.contains("_") && !word.isEmpty && word.count <= 18, "\(word)") }
  }

  @Test("the words of the bars are those that the models were taught")
  func words() throws {
    struct Format: Decodable { let bands: [String: [String]] }
    struct Drawn: Decodable {
      struct Bar: Decodable { let words: [String] }
      let bars: [String: Bar]
    }
    let format = try JSONDecoder().decode(
      Format.self, from: Data(contentsOf: Shown.repository.appending(path: "prompts/format.json")))
    let drawn = try JSONDecoder().decode(Drawn.self, from: Data(contentsOf: Self.file))
    #expect(format.bands.count == 3)
    for (vital, words) in format.bands { #expect(drawn.bars[vital]?.words == words) }
  }

  /// The file with `old` replaced once by `new`.
  private static func edited(_ old: String, _ new: String) throws -> Data {
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try #require(text.contains(old))
    return Data(text.replacing(old, with: new, maxReplacements: 1).utf8)
  }

  @Test(
    "an edited file with a mistake is refused, with the reason",
    arguments: [
      ("\"T\": \"∿▸\"", "\"T\": \"∿∿▸\"", FaceError.tooWide(slot: "T", text: "∿∿▸", limit: 2)),
      ("\"T\": \"∿▸\"", "\"t\": \"∿▸\"", .emptySlot("T", emotion: .happy)),
      ("\"  ╰─v─v─╯TT\"", "\"  ╰─v─v───────╯TT\"", .drawing(lines: 4, columns: 17)),
      ("\"lines\": [", "\"lines\": [\" \", \" \", ", .drawing(lines: 6, columns: 12)),
      ("\"colour\": [175, 35]", "\"colour\": [175, 38]", .notAColour(basic: 38)),
      ("\"curious\": {\"E\"", "\"curius\": {\"E\"", .unknownEmotion("curius")),
      ("\"purr\":", "\"pur\":", .unknownGesture("pur")),
      ("\"purr\": \"purrs\",", "", .missing("purr")),
      ("\"mood\": {", "\"moods\": {", .missing("mood")),
      ("={  MMM  }=", "={  MMM 日}=", .character("日")),
      ("={  MMM  }=\", \"  `-", "={  MMM  }=\", \"  ´-", .character("´")),
      (
        "\"sad\": {\"L\": \"╥\", \"R\": \"╥\", \"M\": \"╭─╮\", \"X\": \"\"}",
        "\"sad\": {\"L\": \"◦\", \"R\": \"◦\", \"M\": \" ∿ \", \"X\": \";\"}", .sameFace(.sad, .worried)
      ),
    ])
  func mistakes(old: String, new: String, expected: FaceError) throws {
    let data = try Self.edited(old, new)
    if case .sameFace = expected {
      #expect(throws: FaceError.self) { try JSONDecoder().decode(Faces.self, from: data) }
    } else {
      #expect(throws: expected) { try JSONDecoder().decode(Faces.self, from: data) }
    }
  }

  @Test("a truncated file is refused")
  func truncated() throws {
    let data = try Data(contentsOf: Self.file)
    for end in stride(from: 0, to: data.count - 2, by: 997) {
      #expect(throws: (any Error).self) { try JSONDecoder().decode(Faces.self, from: data.prefix(end)) }
    }
  }

  @Test("all of them, to be looked at", arguments: [false, true])
  func sheet(isASCII: Bool) throws {
    var text = ""
    for pet in Self.faces.names + ["other"] {
      text += "\(pet)\n\n"
      for row in stride(from: 0, to: Emotion.allCases.count, by: 4) {
        let emotions = Emotion.allCases[row...].prefix(4)
        let faces = try emotions.map { try Self.face(pet, $0, isASCII) }
        let columns = zip(emotions, faces).map {
          [$0.rawValue] + $1.lines + (0..<(5 - $1.lines.count)).map { _ in "" } + [$1.line]
        }
        for line in 0..<7 {
          let cells = columns.map { $0[line] + String(repeating: " ", count: 18 - TerminalText.width($0[line])) }
          text += String(cells.joined().reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        text += "\n"
      }
    }
    try Shown.expect(text, isGolden: isASCII ? "faces-ascii.txt" : "faces-unicode.txt")
  }
}
