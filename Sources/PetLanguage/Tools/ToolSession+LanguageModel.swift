// SPDX-License-Identifier: Apache-2.0
extension ToolSession where Session == LanguageModelSession {
  /// A conversation with a model that can write nothing but words and well-formed calls of these tools: a grammar of the options
  /// counts only where there are none.
  /// - Parameters:
  ///   - instructions: the system text; what the model is told of the tools follows it.
  ///   - clock: by which ``ToolPolicy/timeLimit`` is measured.
  /// - Throws: `ToolError`; `GrammarError` for parameters that cannot be enforced; as
  ///   ``LanguageModelSession/init(model:instructions:adapter:)``.
  public init(
    model: LanguageModel, tools: [any Tool], instructions: String? = nil, policy: ToolPolicy = ToolPolicy(),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws {
    let registry = try ToolRegistry(tools)
    let grammar = try registry.tools.isEmpty ? nil : model.outputGrammar(jsonSchema: registry.callSchema).orText
    try self.init(model: model, tools: tools, instructions: instructions, policy: policy, clock: clock) { options, _ in
      var options = options
      if let grammar { options.grammar = grammar }
      return options
    }
  }
}
