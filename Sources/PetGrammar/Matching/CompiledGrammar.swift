// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A grammar together with a model's vocabulary, and the token masks made for the two so far.
///
/// Share one among all requests with the same grammar: what one request worked out, the next finds ready. May be used
/// from any thread; a mask in the making holds up others on the same grammar for the milliseconds it takes.
package final class CompiledGrammar: Sendable {
  package let grammar: Grammar
  package let vocabulary: TokenVocabulary
  let budget: ParseTables.Budget
  private let maskBytes: Int
  private let current: Mutex<ParseArena>
  let noTokens: TokenMask

  /// - Parameters:
  ///   - maskBytes: how much memory masks may take; those least recently used go first. One takes vocabulary / 8 bytes,
  ///     6 KB for 49,152 tokens.
  ///   - stateBytes: how much memory parse states may take, about 300 bytes each; at least 64 KB. When it is used up they
  ///     are made anew as they are needed. Twice as much may be taken while a mask is made.
  package init(
    _ grammar: Grammar, vocabulary: TokenVocabulary, maskBytes: Int = 16 << 20, stateBytes: Int = 8 << 20
  ) {
    self.grammar = grammar
    self.vocabulary = vocabulary
    self.maskBytes = max(maskBytes, 0)
    budget = ParseTables.Budget(tableBytes: min(max(stateBytes, 1 << 16), 1 << 29))
    current = Mutex(ParseArena(grammar.automaton, maskBytes: max(maskBytes, 0)))
    noTokens = TokenMask(words: [UInt64](repeating: 0, count: (vocabulary.count + 63) / 64))
  }

  var arena: ParseArena { current.withLock { $0 } }

  /// Tables to go on with where `arena` is full.
  func successor(of arena: ParseArena) -> ParseArena {
    let next = current.withLock { current in
      if current === arena { current = ParseArena(grammar.automaton, maskBytes: maskBytes) }
      return current
    }
    // Idle matchers keep the old tables, but need no more of them than their states.
    arena.tables.withLock { $0.forget() }
    return next
  }

  /// How much memory the states and masks take now.
  package var cachedBytes: Int { arena.tables.withLock { $0.bytes + $0.masks.bytes } }
}

/// Parse tables that matchers share.
final class ParseArena: Sendable {
  let tables: Mutex<ParseTables>
  let start: Int32

  init(_ automaton: Automaton, maskBytes: Int) {
    var tables = ParseTables(automaton, maskBytes: maskBytes)
    start = tables.startState()
    self.tables = Mutex(tables)
  }
}
