// SPDX-License-Identifier: Apache-2.0
/// How a line follows one that was taken for danger.
package enum AfterAlarm: String, Sendable, CaseIterable {
  /// Nothing is taken back, and no help is there yet.
  case still
  /// It was meant otherwise: a joke, a film, a figure of speech.
  case clear
  /// The danger is over, or people who help are there.
  case left
  /// About something else, as if nothing had been told.
  case other
}
