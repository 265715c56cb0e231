// SPDX-License-Identifier: Apache-2.0
/// What a pet may notice in its person.
package enum Feeling: String, Sendable, CaseIterable, Codable {
  case happy, calm, sad, angry, afraid, tense, tired, surprised

  /// In a sentence about them.
  package var word: String { self == .afraid ? "scared" : rawValue }
}
