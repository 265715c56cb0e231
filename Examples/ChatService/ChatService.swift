// SPDX-License-Identifier: Apache-2.0
// A web service that embeds the engine: conversations by name, replies streamed as server-sent events.
//
//     curl -N localhost:8080/chat -d '{"session": "ada", "message": "Hello!"}'
//     curl localhost:8080/health

import Foundation
import Hummingbird
import PetEngine
import PetEngineLifecycle

struct ChatRequest: Decodable {
  var session: String
  var message: String
}

/// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
enum Event {
  static func data(_ text: String) throws -> ByteBuffer {
    ByteBuffer(string: "data: \(String(decoding: try JSONEncoder().encode(["text": text]), as: UTF8.self))\n\n")
  }

  static let done = ByteBuffer(string: "event: done\ndata: {}\n\n")
  static let failed = ByteBuffer(string: "event: failed\ndata: {}\n\n")
}

/// What is kept of each conversation between its turns: its words and tokens, no memory of the model.
actor Conversations {
  private var states: [String: SessionState] = [:]
  /// The one that was idle longest first.
  private var names: [String] = []

  /// Those that are being answered.
  private var busy: Set<String> = []

  /// - Throws: `HTTPError`, 409, while the last message is being answered.
  func begin(_ name: String) throws -> SessionState? {
    guard busy.insert(name).inserted else { throw HTTPError(.conflict, message: "the last message is being answered") }
    return states[name]
  }

  func end(_ name: String) { busy.remove(name) }

  func keep(_ state: SessionState, of name: String) {
    names.removeAll { $0 == name }
    names.append(name)
    states[name] = state
    if names.count > 1000 { states[names.removeFirst()] = nil }
  }
}

@main
struct ChatService {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let settings = try Configuration(.init(environment: environment))
    let store = ModelStore(folder: environment["MODELS"] ?? "models", catalog: try .builtIn())
    let model = try await LanguageModelService(settings, in: store)
    let conversations = Conversations()
    let options = GenerationOptions(temperature: 0.3, maximumTokens: 128)

    let router = Router()
    router.get("health") { _, _ in
      guard case .unavailable(let reason) = await model.availability else { return "ok" }
      throw HTTPError(.serviceUnavailable, message: "\(reason)")
    }
    router.post("chat") { request, context in
      let chat = try await request.decode(as: ChatRequest.self, context: context)
      let state = try await conversations.begin(chat.session)
      let pieces = model.streaming { model, send in
        let cat =
          if let state {
            try Companion(model, pet: LivingPet(nil), resuming: state)
          } else {
            try Companion(model, instructions: "You are a kind cat.")
          }
        _ = try await cat.respond(to: chat.message, options: options, onText: send)
        await conversations.keep(cat.state(), of: chat.session)
      }
      let body = ResponseBody { writer in
        do {
          for try await text in pieces { try await writer.write(Event.data(text)) }
          try await writer.write(Event.done)
          await conversations.end(chat.session)
        } catch {
          await conversations.end(chat.session)
          context.logger.error("no reply", metadata: ["error": "\(error)"])
          try await writer.write(Event.failed)
        }
        try await writer.finish(nil)
      }
      return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    let port = environment["PORT"].flatMap { Int($0) } ?? 8080
    let server = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), services: [model])
    try await server.runService()
  }
}
