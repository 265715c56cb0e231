// SPDX-License-Identifier: Apache-2.0
extension CharacterAutomaton {
  /// The texts that an expression without rules matches.
  init(_ expression: Expression, limits: GrammarLimits, budget: CompilationBudget) throws(GrammarError) {
    let network = try NetworkBuilder.build(
      expression, isOfBytes: false, context: NoRules(), limit: limits.states)
    let states = try Determinizer.states(of: network, limit: limits.states, budget: budget)
    self.init(states: SuffixSharing.merged(states).map { State(edges: $0.edges, accepts: $0.accepts) })
  }

  private struct NoRules: NetworkContext {
    func inlined(_ rule: Int) -> Expression? { .nothing }
    func called(_ rule: Int) throws(GrammarError) -> NetworkCallee { throw .emptyLanguage }
    func counted(_ part: Expression, least: Int, most: Int?, copies: Int) throws(GrammarError) -> NetworkCallee? { nil }
  }
}
