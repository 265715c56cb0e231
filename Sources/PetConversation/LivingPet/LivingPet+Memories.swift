// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetMemory

/// What it remembers of its person, and how that is forgotten.
extension LivingPet {
  /// What it remembers of its person, oldest first; empty for one that is only a system text.
  /// - Throws: `MemoryError`.
  public func memories() async throws -> [Fact] { try await memory?.facts(at: now().seconds) ?? [] }

  /// Erases a memory; with one the line that told it, and with a line what was understood of it.
  /// - Returns: what went with it.
  /// - Throws: `MemoryError`, `FileError`; answers that were kept are gone all the same.
  @discardableResult
  public func forget(_ id: Int64) async throws -> [Fact] {
    await changes.begin()
    defer { changes.end() }
    var failure: (any Error)?
    var others: [Fact] = []
    do {
      // What was corrected goes with what took its place, and has no number for anybody.
      let known = try await memories()
      guard let memory, known.contains(where: { $0.id == id }) else { throw MemoryError.noSuchFact(id) }
      others = try await memory.forget(id).filter { other in known.contains { $0.id == other.id } }
    } catch { failure = error }
    try letGoOfAnswers(after: failure)
    return others
  }

  /// Puts another value, or a sentence as it would be told in talk, in the place of a memory; the old words are erased. What says
  /// otherwise holds no longer.
  /// - Throws: as ``forget(_:)``; ``MemoryOfDanger``.
  public func edit(_ id: Int64, value: String) async throws {
    await changes.begin()
    defer { changes.end() }
    guard let memory else { throw MemoryError.noSuchFact(id) }
    try refuseDanger(in: value)
    // A value may tell of danger only behind what it is the value of.
    if let former = try await memories().first(where: { $0.id == id }), !former.value.isEmpty {
      try refuseDanger(in: former.text.replacing(former.value, with: value))
    }
    let moment = now()
    var failure: (any Error)?
    do { try await memory.edit(id, to: value, today: today(at: moment), at: moment.seconds) } catch { failure = error }
    try letGoOfAnswers(after: failure)
  }

  /// Remembers what its person writes into the list of memories: sentences as they would be told in talk, or any words.
  /// - Returns: the memories that came or were renewed.
  /// - Throws: as ``forget(_:)``; ``MemoryOfDanger``.
  public func remember(_ text: String) async throws -> [Fact] {
    await changes.begin()
    defer { changes.end() }
    guard let memory else { throw MemoryError.noMemory }
    try refuseDanger(in: text)
    // Who tells something new means no earlier question.
    for key in conversations.keys { conversations[key]?.hasOfferedToForget = false }
    let moment = now()
    let done = try await memory.add(text, today: today(at: moment), at: moment.seconds)
    let ids = done.flatMap { change -> [Int64] in
      switch change {
      case .added(let id), .renewed(let id), .superseded(_, by: let id): [id]
      case .retracted, .dropped: []
      }
    }
    try letGoOfAnswers(after: nil)
    return try await memory.facts(at: moment.seconds).filter { ids.contains($0.id) }
  }

  /// What it remembers, as a file that can be read elsewhere.
  /// - Throws: `MemoryError`.
  public func archive() async throws -> MemoryArchive {
    guard let memory else { throw MemoryError.noMemory }
    return try await memory.archive(at: now().seconds)
  }

  /// Remembers what an archive holds, beside what it knows already; what tells of danger is no memory.
  /// - Throws: `MemoryError`, `FileError`.
  public func take(_ archive: MemoryArchive) async throws -> MemoryArchive.Arrival {
    await changes.begin()
    defer { changes.end() }
    guard let memory else { throw MemoryError.noMemory }
    let entries = archive.memories.filter { entry in
      // Each text is read by networks, and most values are words of the text.
      let others = [entry.value, entry.topic].filter { !entry.text.contains($0) }
      return ([entry.text] + others).allSatisfy { (try? refuseDanger(in: $0)) != nil }
    }
    let refused = archive.memories.count - entries.count
    let arrival: MemoryArchive.Arrival
    do { arrival = try await memory.take(entries, refused: refused, at: now().seconds) } catch {
      try letGoOfAnswers(after: error)
      throw error
    }
    try letGoOfAnswers(after: nil)
    return arrival
  }

  /// What a model was told, what is summed up, and answers that were kept, may speak of what is gone. It goes where that failed
  /// half-way, too: nobody can forget it again.
  private func letGoOfAnswers(after failure: (any Error)?) throws {
    forgettings.wrappingAdd(1, ordering: .sequentiallyConsistent)
    leftOut = ConversationSummary()
    vectors.removeAll()
    var failure = failure
    do { try home?.predictions?.erase() } catch { failure = failure ?? error }
    if let failure { throw failure }
  }

  /// Erases all that it remembers, every answer and every conversation that was kept.
  /// - Throws: ``ForgettingError``: where the memories cannot be erased, nothing is.
  public func forgetEverything() async throws(ForgettingError) {
    await changes.begin()
    defer { changes.end() }
    var left: [(part: ForgettingError.Part, cause: any Error)] = []
    let key = memory?.secret
    do { try await memory?.forgetEverything() } catch {
      // With the key that it had, the memory is as it was.
      if memory?.secret == key { throw ForgettingError([(.memories, error)]) }
      left.append((.key, error))
    }
    // What fails from here on keeps nothing else from being erased.
    // Nothing is awaited from here on: what a turn that is under way leaves behind is gone with the rest, or refused.
    (conversations, said, bankAnswers, perception) = ([:], [], [], Perception())
    forgotten = []
    record.forget()
    counters = record.counters
    do { try home?.resealAnswers() } catch { left.append((.answers, error)) }
    do { try letGoOfAnswers(after: nil) } catch { left.append((.answers, error)) }
    do { try home?.eraseConversations() } catch { left.append((.conversations, error)) }
    do { try home?.eraseAsides() } catch { left.append((.asides, error)) }
    do { try home?.saveErasing(record) } catch { left.append((.state, error)) }
    if !left.isEmpty { throw ForgettingError(left) }
  }
}
