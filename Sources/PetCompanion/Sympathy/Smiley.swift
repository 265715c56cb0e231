// SPDX-License-Identifier: Apache-2.0
/// What the smileys of a line say of how its person feels, whatever the words seem to say.
package enum Smiley: Sendable, Equatable {
  case happy, sad

  // Tears are shed for joy as well: none with them.
  private static let signsOfJoy = [":)", ":-)", ":D", ":-D", "=)"]
  private static let signsOfSadness = [":(", ":-(", "=("]
  private static let facesOfJoy: Set<Unicode.Scalar> = [
    "\u{1F600}", "\u{1F601}", "\u{1F604}", "\u{1F60A}", "\u{1F973}", "\u{1F389}",
  ]
  private static let facesOfSadness: Set<Unicode.Scalar> = [
    "\u{1F61E}", "\u{1F614}", "\u{1F641}", "\u{1F494}", "\u{1F620}",
  ]

  /// Nil where there is none, or some of both.
  package init?(in message: String) {
    func has(_ signs: [String], _ faces: Set<Unicode.Scalar>) -> Bool {
      message.unicodeScalars.contains(where: faces.contains) || signs.contains { Self.stands($0, in: message) }
    }
    switch (has(Self.signsOfJoy, Self.facesOfJoy), has(Self.signsOfSadness, Self.facesOfSadness)) {
    case (true, false): self = .happy
    case (false, true): self = .sad
    default: return nil
    }
  }

  /// Not "x=(1+2)", nor "note:Do".
  private static func stands(_ sign: String, in message: String) -> Bool {
    func isPartOfWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
    return message.ranges(of: sign).contains { range in
      !isPartOfWord(message[range.upperBound...].first)
        && !(sign.first == "=" && isPartOfWord(message[..<range.lowerBound].last))
    }
  }
}
