// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// What `/stats` says of the context: tokens by part, and what there was no room for.
enum ContextText {
  static func text(of context: ContextReport) -> String {
    let system = SystemText.Part.allCases.compactMap { part in
      context.system[part].map { "\(part.rawValue) \($0)" }
    }
    let parts =
      system + ["turns \(context.turns)", "message \(context.message)", "marks \(context.frame)"]
    var facts = [
      (
        "context",
        "\(context.used) of \(context.capacity) tokens, \(context.reply) kept for the reply: \(parts.joined(separator: ", "))"
      )
    ]
    let omitted = context.omitted
    let left =
      [("turns", omitted.turns), ("memories", omitted.memories)].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
      + omitted.persona.map(\.rawValue)
    if !left.isEmpty { facts.append(("no room for", left.joined(separator: ", "))) }
    return FactLines.text(facts)
  }
}
