// SPDX-License-Identifier: Apache-2.0
import PetLanguage

/// What of a conversation is written down: the turns whose words may be, and how many others there were.
package struct WrittenConversation: Sendable {
  /// Nil where no turn may be.
  package private(set) var state: SessionState?
  package var notes: SavedConversation.Notes
  private var hasUnwritten = false

  /// - Parameter kept: that it goes on from.
  package init(_ kept: (state: SessionState?, notes: SavedConversation.Notes)? = nil) {
    state = kept?.state
    notes = kept?.notes ?? SavedConversation.Notes()
  }

  /// The conversation went on to `state`.
  package mutating func follow(_ state: SessionState) { self.state = state.written(after: self.state) }

  /// - Returns: whether its words are the first here that are written nowhere.
  package mutating func count(_ answer: CompanionAnswer, at seconds: Int64) -> Bool {
    guard answer.isUnwritten else { return false }
    notes.noteUnkeptTurn(at: seconds)
    defer { hasUnwritten = true }
    return !hasUnwritten
  }
}
