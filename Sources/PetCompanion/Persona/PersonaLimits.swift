// SPDX-License-Identifier: Apache-2.0
/// How large the parts of a persona may be. Files come from strangers, and their texts go into prompts.
package enum PersonaLimits {
  /// Bytes of a persona file or of a card's JSON: the largest cards with a book are about half as large.
  package static let fileBytes = 1 << 20
  /// Bytes of a card's picture with all that is in it.
  package static let imageBytes = 32 << 20
  /// Levels of nesting.
  package static let nesting = 32
  /// Bytes of a name, a kind, a temperament, a version, a food or a game: one line.
  package static let nameBytes = 64
  /// Bytes of a habit, a fact, a greeting or one side of an exchange.
  package static let lineBytes = 16 << 10
  /// Bytes of any other text.
  package static let textBytes = 64 << 10
  /// Members of a list.
  package static let members = 256
  /// Persona files in a person's folder.
  package static let files = 256
}
