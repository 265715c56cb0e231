// SPDX-License-Identifier: Apache-2.0
import PetText

extension Reply {
  /// What is wrong with the mark at the end of a written reply.
  package enum MarkProblem: Error, Equatable {
    case notTwoParts
    case emotion(String)
    case action(String)
    case tooManyActions
    case noText
  }

  /// Reads a reply as a person writes it: `text {emotion; action, action}`, or text alone.
  package init(marked text: String) throws(MarkProblem) {
    // What ends in two braces is a macro, such as `{{user}}`.
    let end = text.trimmed
    guard let open = end.lastIndex(of: "{"), end.hasSuffix("}"), !end.hasSuffix("}}") else {
      self.init(text: text)
      return
    }
    self.init(written: text)
    if !isWellFormed { throw Self.problem(end[end.index(after: open)...].dropLast(), in: self) }
  }

  private static func problem(_ mark: Substring, in reply: Reply) -> MarkProblem {
    let parts = mark.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return .notTwoParts }
    let emotion = PromptText.line(String(parts[0]))
    guard Emotion(rawValue: emotion) != nil else { return .emotion(emotion) }
    let actions = (parts.count == 2 ? parts[1] : "").split(separator: ",", omittingEmptySubsequences: false)
      .map { PromptText.line(String($0)) }
    if let unknown = actions.first(where: { PetAction(rawValue: $0) == nil }), parts.count == 2 {
      return .action(unknown)
    }
    if actions.count > 2 { return .tooManyActions }
    return reply.text.isEmpty ? .noText : .notTwoParts
  }
}

extension Reply.MarkProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notTwoParts: "must end in {emotion} or {emotion; action, action}"
    case .emotion(let word): "names no emotion: \(word.quotable)"
    case .action(let word): "names no action: \(word.quotable)"
    case .tooManyActions: "must name at most two actions"
    case .noText: "must have text before its mark"
    }
  }
}
