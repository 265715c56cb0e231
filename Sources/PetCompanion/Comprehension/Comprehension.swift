/// Whether a pet's own small model can make something of a message. It was trained on short lines of English.
public enum Comprehension: Sendable, Equatable {
  case understood
  /// By its English name.
  case otherLanguage(String)
  /// In letters of which no language is known.
  case otherLetters
  case tooLong
}
