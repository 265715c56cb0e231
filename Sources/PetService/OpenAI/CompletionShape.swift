// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetEngine

/// How one kind of completion looks, whole and in chunks.
struct CompletionShape: Sendable {
  /// One of the replies to a request.
  struct Choice: Sendable {
    let index: Int
    let reply: MindedReply
    let probabilities: ProbabilityForm?
    /// Fields that did nothing for it.
    let ignored: [String]

    /// - Parameter model: that wrote it; nil for one that no model did.
    init(_ reply: MindedReply, at index: Int, by model: LanguageModel?, _ bias: LogitBias? = nil) {
      self.index = index
      // No bias makes a model write what is never part of a text.
      ignored = (model?.unwritableTokens ?? []).filter { bias?.values[$0] ?? 0 > 0 }.map { "logit_bias.\($0)" }
      self.reply = reply
      probabilities = reply.generation.probabilities.isEmpty ? nil : model.map { ProbabilityForm(reply.generation, $0) }
    }
  }

  let id: String
  let isChat: Bool
  /// The names of those that the model may call.
  let tools: [String]
  /// Whether a reply can be nothing but a call of one.
  let mustCall: Bool
  /// What stands before each text.
  let echo: String
  /// What of the request was not taken as it stands.
  let notes: CompletionForm.Notes
  /// Fields that do nothing where words are written in the model's place.
  let setAside: [String]
  private let created = Int64(Date().timeIntervalSince1970)

  init(
    _ request: ServiceRequest, isChat: Bool, tools: [String] = [], mustCall: Bool = false, echo: String = "",
    _ notes: CompletionForm.Notes, setAside: [String]
  ) {
    id = (isChat ? "chatcmpl-" : "cmpl-") + request.id
    self.isChat = isChat
    self.tools = tools
    self.mustCall = mustCall
    self.echo = echo
    self.notes = notes
    self.setAside = setAside
  }

  func whole(_ choices: [Choice], by model: ModelIdentity) -> CompletionForm {
    CompletionForm(
      id: id, object: isChat ? "chat.completion" : "text_completion", created: created, model: model.name,
      fingerprint: model.fingerprint,
      choices: choices.map { given in
        var choice = choice(given)
        if !isChat {
          choice.text = echo + given.reply.generation.text
        } else if let call = call(in: given) {
          choice.message = .init(role: "assistant", content: nil, toolCalls: [call])
        } else {
          choice.message = .init(role: "assistant", content: isLostCall(given) ? "" : given.reply.generation.text)
        }
        return choice
      }, usage: .init(choices.map(\.reply.generation.usage)), notes: notes(on: choices))
  }

  func chunk(_ model: ModelIdentity, text: String, role: String? = nil, index: Int) -> CompletionForm {
    var choice = CompletionForm.Choice(index: index)
    if isChat {
      choice.delta = .init(role: role, content: text)
    } else {
      choice.text = text
    }
    return empty(model, choices: [choice])
  }

  /// The whole call, in a chunk of its own before the last one: clients close the call when its choice ends. Nil where it calls nothing.
  func callChunk(_ given: Choice, by model: ModelIdentity) -> CompletionForm? {
    guard isChat, var call = call(in: given) else { return nil }
    call.index = 0
    var choice = CompletionForm.Choice(index: given.index)
    choice.delta = .init(toolCalls: [call])
    return empty(model, choices: [choice])
  }

  /// The one that ends a stream of chunks: what is only known then.
  func last(_ given: Choice, by model: ModelIdentity) -> CompletionForm {
    var choice = choice(given)
    if isChat { choice.delta = .init() } else { choice.text = "" }
    var form = empty(model, choices: [choice])
    form.notes = notes(on: [given])
    return form
  }

  func empty(_ model: ModelIdentity, choices: [CompletionForm.Choice] = []) -> CompletionForm {
    CompletionForm(
      id: id, object: isChat ? "chat.completion.chunk" : "text_completion", created: created, model: model.name,
      fingerprint: model.fingerprint, choices: choices)
  }

  /// Nil where it calls nothing that there is.
  func call(in choice: Choice) -> ToolCallForm? {
    guard case .call(let call) = ToolReply(choice.reply.generation.text), tools.contains(call.tool) else { return nil }
    let name = "call_\(id.drop { $0 != "-" }.dropFirst())"
    return ToolCallForm(call, id: choice.index == 0 ? name : "\(name)-\(choice.index)")
  }

  /// Whether it was to be a call, or begins as one, and is none that can be read. Where there are tools the grammar lets nothing else begin with a brace.
  func isLostCall(_ choice: Choice) -> Bool {
    guard !tools.isEmpty, choice.reply.safety == nil, call(in: choice) == nil else { return false }
    // A stop text may leave nothing of it.
    if mustCall { return true }
    let text = choice.reply.generation.text.utf8.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    return text.first == UInt8(ascii: "{")
  }

  private func choice(_ given: Choice) -> CompletionForm.Choice {
    CompletionForm.Choice(
      index: given.index, offset: echo.unicodeScalars.count, probabilities: given.probabilities,
      finishReason: call(in: given) == nil ? given.reply.generation.finishReason.openAI : "tool_calls",
      look: CompletionForm.Look(given.reply))
  }

  private func notes(on choices: [Choice]) -> CompletionForm.Notes {
    var notes = notes
    notes.danger = choices.lazy.compactMap(\.reply.danger).first?.rawValue
    notes.safety = choices.lazy.compactMap(\.reply.safety).first
    notes.ignored += notes.safety == nil ? choices.first?.ignored ?? [] : setAside
    notes.droppedTurns = choices.map(\.reply.generation.usage.droppedTurns).max() ?? 0
    // Of a turn that was left out nothing was read.
    notes.shortened.removeAll { $0.turn ?? .max < notes.droppedTurns }
    notes.shortened += choices.filter(isLostCall).map { choice in
      let isWhole = JSONText.isObject(choice.reply.generation.text)
      return .init("choices[\(choice.index)]: a tool call was \(isWhole ? "unreadable" : "cut off") and left out")
    }
    return notes
  }
}
