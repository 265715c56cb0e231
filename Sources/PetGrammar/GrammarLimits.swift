// SPDX-License-Identifier: Apache-2.0
/// How much a grammar may ask for. Grammars come from strangers (an API request carries one): each size that a text can
/// name is bounded before it is built.
package struct GrammarLimits: Sendable, Equatable {
  /// Bytes of grammar or schema text.
  package let sourceBytes: Int
  /// Rules, with those that repetitions and subschemas make.
  package let rules: Int
  /// Automaton states, after repetitions are unrolled and rules made deterministic. A state takes about 50 bytes.
  package let states: Int
  /// The largest count that a repetition, `maxLength` or `maxItems` may name.
  package let repetitions: Int
  /// How deep groups of a grammar text, and values of a schema text, may nest.
  package let nesting: Int
  /// How deep recursive rules may nest in the output: one level of a recursive schema is one level here. Deeper
  /// structures are masked out in time, so that what was begun can always be ended.
  package let depth: Int
  /// How many parse stacks may be followed at once. Input that needs more is not accepted. JSON needs 5; an ambiguous
  /// grammar may need any number, and the time for a mask grows with them.
  package let stacks: Int

  package init(
    sourceBytes: Int = 1 << 20, rules: Int = 1 << 14, states: Int = 1 << 18, repetitions: Int = 100_000,
    nesting: Int = 64, depth: Int = 64, stacks: Int = 128
  ) {
    self.sourceBytes = sourceBytes
    self.rules = min(max(rules, 1), 1 << 20)
    self.states = min(max(states, 1), 1 << 24)
    self.repetitions = min(max(repetitions, 0), 1 << 24)
    self.nesting = min(max(nesting, 1), 128)
    self.depth = min(max(depth, 0), 1 << 16)
    self.stacks = min(max(stacks, 1), 1 << 16)
  }
}
