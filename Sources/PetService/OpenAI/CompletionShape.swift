import FoundationEssentials
import PetEngine

/// How one kind of completion looks, whole and in chunks.
struct CompletionShape: Sendable {
  let id: String
  let isChat: Bool
  /// The names of those that the model may call.
  let tools: [String]
  private let created = Int64(Date().timeIntervalSince1970)

  init(_ request: ServiceRequest, isChat: Bool, tools: [String] = []) {
    id = (isChat ? "chatcmpl-" : "cmpl-") + request.id
    self.isChat = isChat
    self.tools = tools
  }

  func whole(_ result: GenerationResult, _ model: LanguageModel, as identity: ModelIdentity) -> CompletionForm {
    var choice = choice(result, model)
    if !isChat {
      choice.text = result.text
    } else if let call = call(in: result) {
      choice.message = .init(role: "assistant", content: nil, toolCalls: [call])
    } else {
      choice.message = .init(role: "assistant", content: result.text)
    }
    return CompletionForm(
      id: id, object: isChat ? "chat.completion" : "text_completion", created: created, model: identity.name,
      fingerprint: identity.fingerprint, choices: [choice], usage: .init(result.usage))
  }

  func chunk(_ model: ModelIdentity, text: String, role: String? = nil) -> CompletionForm {
    var choice = CompletionForm.Choice()
    if isChat {
      choice.delta = .init(role: role, content: text)
    } else {
      choice.text = text
    }
    return empty(model, choices: [choice])
  }

  /// The one that ends a stream of chunks: what is only known then.
  func last(_ result: GenerationResult, _ model: LanguageModel, as identity: ModelIdentity) -> CompletionForm {
    var choice = choice(result, model)
    if !isChat {
      choice.text = ""
    } else if var call = call(in: result) {
      call.index = 0
      choice.delta = .init(toolCalls: [call])
    } else {
      choice.delta = .init()
    }
    return empty(identity, choices: [choice])
  }

  func empty(_ model: ModelIdentity, choices: [CompletionForm.Choice] = []) -> CompletionForm {
    CompletionForm(
      id: id, object: isChat ? "chat.completion.chunk" : "text_completion", created: created, model: model.name,
      fingerprint: model.fingerprint, choices: choices)
  }

  private func choice(_ result: GenerationResult, _ model: LanguageModel) -> CompletionForm.Choice {
    var choice = CompletionForm.Choice(
      finishReason: call(in: result) == nil ? result.finishReason.openAI : "tool_calls")
    if !result.probabilities.isEmpty { choice.probabilities = ProbabilityForm(result, model) }
    return choice
  }

  /// Nil where it calls nothing that there is.
  private func call(in result: GenerationResult) -> ToolCallForm? {
    guard case .call(let call) = ToolReply(result.text), tools.contains(call.tool) else { return nil }
    return try? ToolCallForm(call, id: "call_" + id.drop { $0 != "-" }.dropFirst())
  }
}
