// SPDX-License-Identifier: Apache-2.0
import PetLanguage

/// What a companion asks of its session before and after a turn, each in one call.
extension LanguageModelSession {
  /// Of all turns, and of those that the model still sees.
  var turnCounts: (all: Int, seen: Int) { (turnCount, transcript.count) }

  /// The conversation behind a turn that began when there were `count`.
  /// - Parameter isUnwritten: whether the words of the turn are written nowhere.
  func state(after count: Int, isUnwritten: Bool) async -> SessionState {
    if isUnwritten, turnCount > count { await markUnwritten() }
    return await state()
  }
}
