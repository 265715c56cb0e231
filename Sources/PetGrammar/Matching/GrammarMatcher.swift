// SPDX-License-Identifier: Apache-2.0
/// Follows an output through a grammar and says which tokens may come next.
///
/// A value: a copy is a fork, and an old copy is a point to go back to. Copies share what they have worked out.
package struct GrammarMatcher: Sendable {
  private let compiled: CompiledGrammar
  private var arena: ParseArena
  private var state: Int32
  private var hasEnded = false

  /// A matcher before any output.
  package init(_ compiled: CompiledGrammar) {
    self.compiled = compiled
    arena = compiled.arena
    state = arena.start
  }

  /// Moves on over a token that was chosen. End tokens are accepted where `canEnd`, and nothing is accepted after one.
  /// - Returns: whether the token is allowed; the matcher is unchanged where it is not.
  /// - Complexity: O(bytes of the token) where the states were met before.
  package mutating func accept(_ token: Int32) -> Bool {
    guard !hasEnded else { return false }
    if compiled.vocabulary.endTokens.contains(token) {
      guard canEnd else { return false }
      hasEnded = true
      return true
    }
    let bytes = compiled.vocabulary.bytes(of: token)
    return !bytes.isEmpty && accept(bytes: bytes)
  }

  /// Moves on over bytes, however they were divided into tokens. No bytes are always accepted, unless after the end.
  /// - Returns: whether the bytes are allowed; the matcher is unchanged where they are not.
  package mutating func accept(bytes: some Sequence<UInt8>) -> Bool {
    guard !hasEnded else { return false }
    let start = state
    let (next, isFull) = arena.tables.withLock { tables in
      var state = start
      for byte in bytes {
        state = tables.step(state, byte)
        if ParseTables.isDead(state) { break }
      }
      return (state, tables.bytes > compiled.budget.tableBytes)
    }
    guard !ParseTables.isDead(next) else { return false }
    state = next
    if isFull { move() }
    return true
  }

  /// Which tokens may come next, end tokens among them where the text may end. Empty after an end token.
  ///
  /// Where it is empty before an end token, the vocabulary cannot spell what the grammar asks for, or following the text
  /// takes more than `GrammarLimits.stacks`.
  /// - Complexity: O(1) where an equal state was met before. Else one walk over the vocabulary at most: milliseconds.
  package var mask: TokenMask {
    guard !hasEnded else { return compiled.noTokens }
    return arena.tables.withLock { $0.mask(of: state, compiled.vocabulary, compiled.budget) }
  }

  /// Whether the text so far is whole.
  package var canEnd: Bool { !hasEnded && arena.tables.withLock { $0.notes[Int(state)].isComplete } }

  /// Whether nothing can follow but the end, or the end was accepted.
  package var isFinished: Bool {
    hasEnded || arena.tables.withLock { $0.notes[Int(state)].isComplete && $0.followers(of: state, atMost: 1).isEmpty }
  }

  /// The longest text that must come next: the only one that can, byte for byte, up to where the text may end or may go
  /// on in two ways. An engine can append it without asking the model.
  ///
  /// The tokens that spell it are the caller's choice. The last of them may have to be left to the model: a token may
  /// begin with the end of this text and go on with what is not forced.
  /// - Parameter limit: the most bytes to return.
  package func forcedBytes(limit: Int) -> [UInt8] {
    guard !hasEnded, limit > 0 else { return [] }
    return arena.tables.withLock { tables in
      var forced: [UInt8] = []
      var state = state
      while forced.count < limit, !tables.notes[Int(state)].isComplete {
        let followers = tables.followers(of: state, atMost: 2)
        guard followers.count == 1, followers[0].size == 1 else { break }
        forced.append(followers[0].byte)
        state = followers[0].state
      }
      return forced
    }
  }

  /// Moves to new tables, and leaves the full ones to matchers that still use them.
  private mutating func move() {
    let portable = arena.tables.withLock { $0.export(state) }
    arena = compiled.successor(of: arena)
    state = arena.tables.withLock { $0.adopt(portable) }
  }
}

extension ParseTables {
  /// Classes of bytes that may follow a state: the first byte, how many there are, the next state. At most `most` of them.
  mutating func followers(of state: Int32, atMost most: Int) -> [(byte: UInt8, size: Int, state: Int32)] {
    var found: [(byte: UInt8, size: Int, state: Int32)] = []
    for (index, byte) in automaton.classStarts.enumerated() where found.count < most {
      let next = step(state, byte)
      if !Self.isDead(next) { found.append((byte, automaton.size(ofClass: index), next)) }
    }
    return found
  }

  /// Gives up transitions and masks, but no states.
  mutating func forget() {
    rows = []
    for index in notes.indices { notes[index].row = -1 }
    masks = MaskStore(limit: 0)
  }
}
