// SPDX-License-Identifier: Apache-2.0
/// What the conversation of a pet needs beside turns.
extension LanguageModelSession {
  /// All turns that there were.
  package var turnCount: Int { ledger.droppedTurns + ledger.exchanges.count }

  /// The words of the last turn are written nowhere: ``SessionState/written(after:)`` leaves it out.
  package func markUnwritten() async { await turnInPlace { $0.markUnwritten() } }

  /// Leaves out old turns now where the next message would need their room, and reads what is not read yet: done while nobody
  /// waits, it costs no reply its quick beginning.
  /// - Parameters:
  ///   - message: tokens to expect of it.
  ///   - reserve: tokens to keep for the reply.
  /// - Throws: `InferenceError`.
  package func makeReady(message: Int, reserve: Int) async throws {
    try await turn { draft in
      try draft.makeRoom(message: message, reserve: reserve)
      try await draft.prefill()
      draft.commitBriefing()
    }
  }
}
