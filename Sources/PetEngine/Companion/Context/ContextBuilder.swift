import PetCompanion
import PetLanguage
import PetTokenizer

/// Makes the system text of a pet within its budget. The turns behind it are the session's: it leaves out whole ones.
struct ContextBuilder {
  let budget: ContextBudget
  private let tokenizer: any Tokenizer
  /// Whether the model was trained for the compact form.
  private let isCompact: Bool
  /// Bytes to try for the words of a persona that a model was not trained for.
  private static let limits = [2400, 1200, 600, 300, 0]

  init(_ model: LanguageModel, reply: Int) {
    budget = ContextBudget(capacity: model.contextLength, reply: reply)
    tokenizer = model.tokenizer
    isCompact = model.speaksPromptFormat
  }

  /// - Throws: `TokenizerError`.
  /// - Complexity: a few times the length of the persona.
  func systemText(
    _ persona: Persona, _ prompt: PetPrompt
  ) throws(TokenizerError) -> (text: SystemText, omitted: ContextReport.Omitted) {
    var omitted = ContextReport.Omitted()
    let memories = try fitting(prompt.memories)
    omitted.memories = prompt.memories.count - memories.count
    let summary = try prompt.summary.flatMap { summary throws(TokenizerError) in try fitting(summary) }
    if isCompact {
      return (PromptFormat.standard.header(persona.pet, prompt.state, memories: memories, summary: summary), omitted)
    }
    var text = SystemText()
    for limit in Self.limits {
      let made = persona.instructions(prompt.state, memories: memories, summary: summary, limit: limit)
      (text, omitted.persona) = (made.text, made.cut)
      let counts = try count(text)
      if [.persona, .rules, .state].reduce(0, { $0 + (counts[$1] ?? 0) }) <= budget.system { break }
    }
    return (text, omitted)
  }

  /// Tokens by part.
  func count(_ text: SystemText) throws(TokenizerError) -> [SystemText.Part: Int] {
    var bytes: [UInt8] = []
    return text.count(
      try tokenizer.encode(text.text).map {
        bytes.removeAll(keepingCapacity: true)
        tokenizer.appendBytes(of: $0, to: &bytes)
        return bytes.count
      })
  }

  /// As much of a summary as has room, up to a comma.
  private func fitting(_ summary: String) throws(TokenizerError) -> String? {
    var rest = summary[...]
    while try tokenizer.encode("; " + rest).count > budget.summary {
      guard let comma = rest.lastIndex(of: ",") else { return nil }
      rest = rest[..<comma]
    }
    return String(rest)
  }

  /// The first of the memories that fit together.
  private func fitting(_ memories: [String]) throws(TokenizerError) -> [String] {
    var room = budget.memories
    var kept: [String] = []
    for memory in memories {
      room -= try tokenizer.encode("; " + memory).count
      guard room >= 0 else { break }
      kept.append(memory)
    }
    return kept
  }
}
