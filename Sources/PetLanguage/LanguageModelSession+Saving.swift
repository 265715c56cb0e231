// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetInference

extension LanguageModelSession {
  /// Goes on with a conversation that was saved: nothing is computed again, what was computed is mapped from the file. The file
  /// must stay as it is while the session lives; removing it is safe.
  /// - Parameter adapter: the one that it had.
  /// - Throws: `KVSnapshotError` where another model, adapter or build saved it, or it is damaged: ``SessionState`` may still be of use;
  ///   `FileError`; as ``init(model:resuming:instructions:adapter:)``.
  public init(model: LanguageModel, restoring path: String, adapter: ModelAdapter? = nil) throws {
    let saved = try KVSnapshot(
      path: path, identity: model.cacheIdentity(adapter), pool: model.pool,
      vocabularySize: model.configuration.vocabularySize, adapter: adapter?.weights.identity ?? 0)
    guard saved.prefix.count <= model.contextLength else {
      throw KVSnapshotError(
        path: path, reason: .tooLong(tokens: saved.prefix.count, capacity: model.contextLength))
    }
    guard let state = try? JSONDecoder().decode(SessionState.self, from: Data(saved.attachment)) else {
      throw KVSnapshotError(path: path, reason: .damaged)
    }
    try self.init(model: model, resuming: state, adapter: adapter)
    sequence.cache.adopt(saved.prefix)
  }

  /// Writes the conversation with all that was computed for it, so that it goes on at once after a restart. Its words are in the
  /// file as they are; only the owner can read it. O(bytes): see ``KVCache/bytesPerPosition``.
  /// - Throws: `FileError`; the file is then as before.
  public func save(to path: String) async throws {
    await turns.begin()
    defer { turns.end() }
    let state = SessionState(ledger, vocabulary: model.vocabularyFingerprint)
    try KVSnapshot.write(
      sequence.cache.prefix, attaching: Array(JSONEncoder().encode(state)), identity: model.cacheIdentity(adapter),
      layout: model.pool.layout, to: path)
  }

  /// Another session with the same past, which goes its own way from here. O(1): keys and values are shared until one of the
  /// two needs other ones.
  public func fork() async -> LanguageModelSession {
    await turns.begin()
    defer { turns.end() }
    return LanguageModelSession(
      model, CachedSequence(sequence.cache.fork(), adapter: sequence.adapter), ledger, adapter)
  }
}
