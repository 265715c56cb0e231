// SPDX-License-Identifier: Apache-2.0
/// Whether a message asks for what its person told, and what of that is known.
package enum RecallFinding: Sendable, Equatable {
  /// It does not, or not surely.
  case notAsked
  /// These facts answer it, the best first, and so many `more` that are too many to tell. `when` is of those of an earlier visit.
  case known([Fact], more: Int = 0, when: String = "", lines: String)
  /// It asks for a thing that was not told: "your sister's name"; or, of the person alone, "your name".
  case unknown(String, isOfOneself: Bool)
}
