// SPDX-License-Identifier: Apache-2.0
extension ChatTemplate {
  /// Where a user turn stands; Llama 2 and Gemma write the first one differently.
  package enum UserTurnPlace: Sendable {
    case first, firstAfterSystem, later
  }

  /// The start of a conversation, up to the first user turn.
  ///
  /// Llama 2 and Gemma have no system turn: they write the system message at the start of the first user turn. Encode
  /// the pieces of the opening and of that turn together, since no special token stands between them.
  package func opening(system: String?) -> [PromptPiece] {
    let begin: [PromptPiece] = startsWithBeginOfSequence ? [.beginOfSequence] : []
    guard let system else { return family == .llama2 ? [] : begin }
    return switch family {
    case .llama2: [.beginOfSequence, .text("[INST] <<SYS>>\n" + system + "\n<</SYS>>")]
    case .gemma: begin + [.special("<start_of_turn>"), .text("user\n" + system + "\n\n")]
    case .phi3, .chatML, .llama3, .zephyr: begin + (systemTurn(system) ?? [])
    }
  }

  /// A system message on its own, wherever it stands; nil where the format has none.
  package func systemTurn(_ system: String) -> [PromptPiece]? {
    switch family {
    case .phi3: [.special("<|system|>"), .text("\n" + system), .special("<|end|>"), .text("\n")]
    case .chatML: [.special("<|im_start|>"), .text("system\n" + system), .special("<|im_end|>"), .text("\n")]
    case .llama3: llama3Header("system") + [.text(trimmed(system)), .special("<|eot_id|>")]
    case .zephyr: [.marker("<|system|>"), .text("\n" + system), .endOfSequence, .text("\n")]
    case .llama2, .gemma: nil
    }
  }

  /// A user turn and the start of the reply.
  package func userTurn(_ text: String, at place: UserTurnPlace) -> [PromptPiece] {
    switch family {
    case .phi3:
      return [
        .special("<|user|>"), .text("\n" + text), .special("<|end|>"), .text("\n"), .special("<|assistant|>"),
        .text("\n"),
      ]
    case .chatML:
      return [
        .special("<|im_start|>"), .text("user\n" + text), .special("<|im_end|>"), .text("\n"),
        .special("<|im_start|>"), .text("assistant\n"),
      ]
    case .llama2:
      guard place == .firstAfterSystem else {
        return [.beginOfSequence, .text("[INST] " + trimmed(text) + " [/INST]")]
      }
      // The reference strips system and user text as one string.
      let rest = trimmed(text, atStart: false)
      return [.text((rest.isEmpty ? "" : "\n\n" + rest) + " [/INST]")]
    case .llama3:
      return llama3Header("user") + [.text(trimmed(text)), .special("<|eot_id|>")] + llama3Header("assistant")
    case .gemma:
      let start: [PromptPiece] = place == .firstAfterSystem ? [] : [.special("<start_of_turn>"), .text("user\n")]
      return start + [
        .text(trimmed(text)), .special("<end_of_turn>"), .text("\n"), .special("<start_of_turn>"), .text("model\n"),
      ]
    case .zephyr:
      return [
        .marker("<|user|>"), .text("\n" + text), .endOfSequence, .text("\n"), .marker("<|assistant|>"), .text("\n"),
      ]
    }
  }

  /// The end of an assistant turn.
  ///
  /// - Parameter turnEndIsThere: whether the reply already ends with the token that ends a turn in this format, as it
  ///   does when the model stopped by itself; false for a reply that was cut off or is text from elsewhere.
  package func closing(turnEndIsThere: Bool) -> [PromptPiece] {
    let (end, rest): ([PromptPiece], [PromptPiece]) =
      switch family {
      case .phi3: ([.special("<|end|>")], [.text("\n")])
      case .chatML: ([.special("<|im_end|>")], [.text("\n")])
      case .llama2: ([.text(" "), .endOfSequence], [])
      case .llama3: ([.special("<|eot_id|>")], [])
      case .gemma: ([.special("<end_of_turn>")], [.text("\n")])
      case .zephyr: ([.endOfSequence], [.text("\n")])
      }
    return turnEndIsThere ? rest : end + rest
  }

  /// A reply given as text, with everything between a user turn and the next.
  ///
  /// A reply that the model generated stays as the tokens it generated: encoding its text again need not give them.
  package func assistantTurn(_ text: String) -> [PromptPiece] {
    let reply =
      switch family {
      case .phi3, .chatML, .zephyr: text
      case .llama2: " " + trimmed(text)
      case .llama3, .gemma: trimmed(text)
      }
    return [.text(reply)] + closing(turnEndIsThere: false)
  }

  /// The token that ends a turn: when a reply ends with it, ``closing(turnEndIsThere:)`` need not write it.
  package var turnEnd: PromptPiece {
    switch family {
    case .phi3: .special("<|end|>")
    case .chatML: .special("<|im_end|>")
    case .llama3: .special("<|eot_id|>")
    case .gemma: .special("<end_of_turn>")
    case .llama2, .zephyr: .endOfSequence
    }
  }

  private func llama3Header(_ role: String) -> [PromptPiece] {
    [.special("<|start_header_id|>"), .text(role), .special("<|end_header_id|>"), .text("\n\n")]
  }

  /// As Python's `str.strip`, which the reference templates call.
  private func trimmed(_ text: String, atStart: Bool = true) -> String {
    func isSpace(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || (0x1C...0x1F).contains(scalar.value)
    }
    var scalars = text.unicodeScalars[...]
    if atStart { scalars = scalars.drop(while: isSpace) }
    while let last = scalars.last, isSpace(last) { scalars.removeLast() }
    return String(scalars)
  }
}
