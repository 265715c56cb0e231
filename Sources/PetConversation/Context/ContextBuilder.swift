// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage
import PetText
import PetTokenizer

/// Makes the system text of a pet within its budget. The turns behind it are the session's: it leaves out whole ones.
struct ContextBuilder {
  let budget: ContextBudget
  private let tokenizer: any Tokenizer
  /// Nil for models of others.
  private let form: PromptForm?
  private var isCompact: Bool { form == .header }
  /// Bytes to try for the words of a persona that a model was not trained for.
  private static let limits = [2400, 1200, 600, 300, 0]

  init(_ model: LanguageModel, reply: Int) {
    budget = ContextBudget(capacity: model.contextLength, reply: reply)
    tokenizer = model.tokenizer
    form = model.promptForm
  }

  /// - Returns: the text, and what stands behind it where turns were left out.
  /// - Throws: `TokenizerError`.
  /// - Complexity: a few times the length of the persona.
  func systemText(
    _ persona: Persona, _ brief: Brief
  ) throws(TokenizerError) -> (text: SystemText, summary: String?, omitted: ContextReport.Omitted) {
    var omitted = ContextReport.Omitted()
    var limit = 0
    var used = 0
    for tried in isCompact || isAtHome(persona) ? [0] : Self.limits {
      limit = tried
      used = try count(text(persona, brief.state, [], limit).text).values.reduce(0, +)
      if used <= budget.system { break }
    }
    // Who it is cannot be left out: in a context that is too small for it the rest gives way.
    let memories = try fitting(brief.memories, in: min(budget.memories, budget.system + budget.memories - used))
    omitted.memories = brief.memories.count - memories.count
    let summary = try brief.summary.flatMap { summary throws(TokenizerError) in try fitting(summary) }
    let made = text(persona, brief.state, memories, limit)
    omitted.persona = isAtHome(persona) ? [] : made.cut
    return (
      made.text, summary.map { PromptFormat.standard.summary(PromptText.clean($0), isCompact: isCompact).text }, omitted
    )
  }

  private func text(
    _ persona: Persona, _ state: PetState, _ memories: [String], _ limit: Int
  ) -> PersonaInstructions {
    let format = PromptFormat.standard
    if isCompact {
      return PersonaInstructions(
        text: format.header(persona.pet, state.moderate, memories: memories), cut: persona.partsLeftOut(format: format))
    }
    // What is known changes more often than who it is, and comes last.
    let who = persona.instructions(state, limit: limit)
    let known = format.known(memories.map(PromptText.clean), isCompact: false).text
    guard !known.isEmpty else { return who }
    let joint = isAtHome(persona) ? " " : "\n\n"
    return PersonaInstructions(text: who.text + SystemText(.memories, joint + known.trimmed), cut: who.cut)
  }

  /// Whether the model was trained to be this pet on its first sentences alone.
  private func isAtHome(_ persona: Persona) -> Bool {
    form == .sentences && PromptFormat.standard.pets.values.contains(persona.pet)
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
  private func fitting(_ memories: [String], in room: Int) throws(TokenizerError) -> [String] {
    var room = room
    var kept: [String] = []
    for memory in memories {
      room -= try tokenizer.encode("; " + memory).count
      guard room >= 0 else { break }
      kept.append(memory)
    }
    return kept
  }
}
