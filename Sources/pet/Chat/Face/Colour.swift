// SPDX-License-Identifier: Apache-2.0
import PetCommandLine

/// How many colours a terminal shows.
package enum ColourDepth: Sendable, Equatable {
  case none, basic, extended

  /// - Parameter isAllowed: what ``Output/allowsColour(environment:)`` says.
  package init(isAllowed: Bool, environment: [String: String]) {
    guard isAllowed else {
      self = .none
      return
    }
    let terminal = environment["TERM"] ?? ""
    let isExtended = terminal.contains("256color") || ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
    self = isExtended ? .extended : .basic
  }
}

/// A foreground colour; meaning is never in the colour alone.
struct Colour: Sendable, Equatable, Decodable {
  /// Of the palette of 256.
  let extended: UInt8
  /// The SGR code of one of the sixteen: 30...37 or 90...97.
  let basic: UInt8

  init(extended: UInt8, basic: UInt8) {
    self.extended = extended
    self.basic = basic
  }

  /// Written as `[extended, basic]`.
  init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    extended = try values.decode(UInt8.self)
    basic = try values.decode(UInt8.self)
    guard values.isAtEnd, (30...37).contains(basic) || (90...97).contains(basic) else {
      throw FaceError.notAColour(basic: Int(basic))
    }
  }

  /// The text in this colour; what follows has the terminal's own again. Spaces alone need none.
  func paint(_ text: String, _ depth: ColourDepth) -> String {
    guard depth != .none, text.contains(where: { $0 != " " }) else { return text }
    let code = depth == .extended ? "38;5;\(extended)" : "\(basic)"
    return "\u{1B}[\(code)m\(text)\u{1B}[39m"
  }
}
