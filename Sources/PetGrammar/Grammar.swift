// SPDX-License-Identifier: Apache-2.0
/// A compiled grammar: which byte strings a model may write. Immutable; compile it once and share it.
///
/// A matcher for a model's tokens needs a `CompiledGrammar`.
package struct Grammar: Sendable {
  let automaton: Automaton

  /// Compiles a grammar in llama.cpp's notation, GBNF.
  ///
  /// Rules are `name ::= expression`, one after another; a rule ends with its line except inside parentheses and after
  /// `::=` and `|`. Expressions: `"literal"`, `[a-z]`, `[^...]`, `.` (any code point), names, groups, `|`, `*`, `+`, `?`,
  /// `{m}`, `{m,}`, `{m,n}`. Escapes: `\n \r \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH`, each one code point. Comments
  /// start with `#`. Recursion is allowed except at the left. The token syntax of newer versions (`<[id]>`) is refused.
  ///
  /// - Parameters:
  ///   - gbnf: the text.
  ///   - root: the rule that the whole output must match.
  ///   - limits: how much the grammar may ask for.
  /// - Throws: `GrammarError`.
  /// - Complexity: O(states log states); the states are bounded by `limits`.
  package init(gbnf: String, root: String = "root", limits: GrammarLimits = GrammarLimits()) throws(GrammarError) {
    automaton = try AutomatonBuilder.build(
      try GBNFReader.read(gbnf, root: root, limits: limits), limits: limits, budget: CompilationBudget(limits))
  }

  /// How many states the automaton has, a measure of its memory.
  package var stateCount: Int { automaton.states }
}
