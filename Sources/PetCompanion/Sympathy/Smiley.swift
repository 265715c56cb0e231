/// What the smileys of a line say of how its person feels, whatever the words seem to say.
enum Smiley: Sendable, Equatable {
  case happy, sad

  // Tears are shed for joy as well.
  private static let signsOfJoy = [
    ":)", ":-)", ":D", ":-D", "=)", "\u{1F600}", "\u{1F604}", "\u{1F601}", "\u{1F60A}", "\u{1F973}", "\u{1F389}",
  ]
  private static let signsOfSadness = [
    ":(", ":-(", ":'(", "=(", "\u{1F622}", "\u{1F61E}", "\u{1F614}", "\u{1F641}", "\u{1F494}", "\u{1F620}",
  ]

  /// Nil where there is none, or some of both.
  init?(in message: String) {
    func has(_ signs: [String]) -> Bool { signs.contains { message.contains($0) } }
    switch (has(Self.signsOfJoy), has(Self.signsOfSadness)) {
    case (true, false): self = .happy
    case (false, true): self = .sad
    default: return nil
    }
  }
}
