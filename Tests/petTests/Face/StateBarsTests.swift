// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing
import PetCommandLine
import pet

@Suite("How a pet is")
struct StateBarsTests {
  private static let usual = StateBars(PetState(hunger: 30, energy: 45, mood: 70), affection: 65, health: 90)
  private static let levels = [0, 1, 20, 41, 50, 81, 100]

  private static func every() -> [StateBars] {
    levels.flatMap { low in
      levels.map { high in
        StateBars(PetState(hunger: low, energy: high, mood: low), affection: high, health: low)
      }
    }
  }

  @Test("a sentence for those who listen")
  func sentence() {
    #expect(Self.usual.sentence("Mochi") == "Mochi is fed, awake, happy, fond and thriving.")
    for bars in Self.every() {
      let sentence = bars.sentence("Mochi")
      #expect(sentence.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || " ,.".unicodeScalars.contains($0) })
    }
  }

  @Test("bars with words, one below the other")
  func bars() {
    #expect(
      Self.usual.lines(on: Screen(form: .unicode, columns: 60)) == [
        "hunger    ▓▓▓▓▓▓░░░░░░░░░░░░░░ fed", "energy    ▓▓▓▓▓▓▓▓▓░░░░░░░░░░░ awake",
        "mood      ▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░ happy", "affection ▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░░░ fond",
        "health    ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░ thriving",
      ])
    #expect(Self.usual.lines(on: Screen(form: .ascii, columns: 40))[0] == "hunger    ######-------------- fed")
    #expect(Self.usual.lines(on: Screen(form: .ascii, columns: 20)) == ["fed, awake, happy,", "fond, thriving"])
    #expect(
      Self.usual.line(on: Screen(form: .unicode, columns: 64)) == [
        "hunger ▓░░  energy ▓░░  mood ▓▓░  affection ▓▓░  health ▓▓░"
      ])
  }

  @Test("an empty bar is nothing, a full one all, and more is never less")
  func filling() {
    let screen = Screen(form: .ascii, columns: 60)
    var last = 0
    for value in 0...100 {
      let line = StateBars(PetState(hunger: value), affection: 0, health: 0).lines(on: screen)[0]
      let filled = line.filter { $0 == "#" }.count
      let empty = line.filter { $0 == "-" }.count
      #expect(filled + empty == 20 && filled >= last)
      #expect((filled == 0) == (value == 0) && (empty == 0) == (value == 100))
      last = filled
    }
  }

  @Test("every state fits in every width", arguments: [Int.min, 0, 12, 20, 27, 40, 60, 100, .max])
  func widths(columns: Int) {
    for form in [Screen.Form.unicode, .ascii] {
      let screen = Screen(form: form, colours: .extended, columns: columns)
      for bars in Self.every() {
        for line in bars.lines(on: screen) + bars.line(on: screen) {
          #expect(TerminalText.width(Shown.withoutColours(line)) <= screen.columns, "\(line)")
        }
      }
    }
  }

  @Test("values from elsewhere are brought into bounds", arguments: [Int.min, -1, 101, .max])
  func bounds(value: Int) {
    let near = value < 0 ? 0 : 100
    #expect(
      StateBars(PetState(), affection: value, health: value) == StateBars(PetState(), affection: near, health: near))
  }

  @Test("red is what needs care: much hunger, little of all else")
  func colours() {
    let screen = Screen(form: .ascii, colours: .basic, columns: 60)
    func codes(_ value: Int) -> [String] {
      let bars = StateBars(
        PetState(hunger: value, energy: value, mood: value), affection: value, health: value)
      return bars.lines(on: screen).compactMap { $0.firstMatch(of: /\u{1B}\[(3[0-9])m/).map { String($0.1) } }
    }
    #expect(codes(90) == ["31", "32", "32", "32", "32"])
    #expect(codes(10) == ["32", "31", "31", "31", "31"])
    #expect(codes(40) == ["32", "33", "33", "33", "33"])
  }
}
