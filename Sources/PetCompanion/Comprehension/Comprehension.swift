// SPDX-License-Identifier: Apache-2.0
/// Whether a pet's own small model can make something of a message. It was trained on short lines of English.
package enum Comprehension: Sendable, Equatable {
  case understood
  /// By its English name.
  case otherLanguage(String)
  /// In letters of which no language is known.
  case otherLetters
  case tooLong
  /// Nothing but emoji, by their names.
  case emoji([String], isSad: Bool)
  /// Nothing but other signs.
  case signs
  /// Nothing but a mark or some dots.
  case silence

  /// Whether a message says nothing in words.
  package var isWordless: Bool {
    switch self {
    case .emoji, .signs, .silence: true
    case .understood, .otherLanguage, .otherLetters, .tooLong: false
    }
  }
}
