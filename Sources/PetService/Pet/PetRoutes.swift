import NIOHTTP1
import PetEngine

/// `/pet/...`: conversations with pets, how they fare, what they remember.
struct PetRoutes: Sendable {
  let household: Household

  /// In bytes.
  private static let longestMessage = 64 << 10

  private struct NewSession: Decodable {
    let pet: String?
    let name: String?
  }

  private struct SessionForm: Encodable {
    let id: String
    let pet: String
    /// Turns that it goes on from.
    let turns: Int
    let greeting: [ReplyForm]
  }

  private struct NewMessage: Decodable { let text: String }
  private struct NewCare: Decodable { let action: String }
  private struct NewFact: Decodable { let value: String }

  private struct ReplyForm: Encodable {
    let text: String
    let emotion: String?
    let actions: [String]

    init(_ reply: Reply) {
      text = reply.text
      emotion = reply.emotion?.rawValue
      actions = reply.actions.map(\.rawValue)
    }
  }

  private struct AnswerForm: Encodable {
    let reply: ReplyForm
    /// Who found the words: model, bank, cache or rule.
    let source: String
    let notices: [String]
    let usage: CompletionForm.Usage
    let state: PetState
  }

  private struct CareForm: Encodable {
    let reply: ReplyForm
    let isAccepted: Bool
    let state: PetState

    enum CodingKeys: String, CodingKey {
      case reply, state
      case isAccepted = "accepted"
    }
  }

  private struct FactForm: Encodable {
    let id: Int64
    let kind: String
    let text: String
    let value: String
    let confidence: Double
    let created: Int64
  }

  private struct List<Item: Encodable>: Encodable { let data: [Item] }

  func add(to router: inout Router) {
    router.on(.GET, "/pet/pets") { _, _ in
      JSON.response(List(data: PersonaCatalog.builtInNames))
    }
    router.on(.POST, "/pet/sessions") { request, _ in try await begin(request) }
    router.on(.POST, "/pet/sessions/{session}/messages") { request, parameters in
      guard let id = Household.SessionID(parameters["session"]) else {
        throw ServiceError(.notFound, "there is no conversation of that name", parameter: "session")
      }
      return try await answer(request, id)
    }
    router.on(.GET, "/pet/pets/{pet}/state") { _, parameters in
      JSON.response(try await household.resident(parameters["pet"]).pet.state())
    }
    router.on(.POST, "/pet/pets/{pet}/care") { request, parameters in
      let care = try JSON.decode(NewCare.self, request.body)
      guard let action = CareAction(rawValue: care.action) else {
        throw ServiceError.invalid(
          "action", "action must be one of \(CareAction.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      let pet = try await household.resident(parameters["pet"]).pet
      let (result, reply) = try await pet.care(action)
      var isAccepted = false
      if case .accepted = result.outcome { isAccepted = true }
      return JSON.response(CareForm(reply: ReplyForm(reply), isAccepted: isAccepted, state: await pet.state()))
    }
    router.on(.GET, "/pet/pets/{pet}/memories") { _, parameters in
      let facts = try await household.resident(parameters["pet"]).pet.memories()
      return JSON.response(
        List(
          data: facts.map {
            FactForm(
              id: $0.id, kind: $0.kind.rawValue, text: $0.text, value: $0.value, confidence: $0.confidence,
              created: $0.created)
          }))
    }
    router.on(.PATCH, "/pet/pets/{pet}/memories/{fact}") { request, parameters in
      let value = try JSON.decode(NewFact.self, request.body).value
      try await household.resident(parameters["pet"]).pet.edit(try fact(parameters), value: value)
      return ServiceResponse(.noContent)
    }
    router.on(.DELETE, "/pet/pets/{pet}/memories/{fact}") { _, parameters in
      try await household.resident(parameters["pet"]).pet.forget(try fact(parameters))
      return ServiceResponse(.noContent)
    }
    router.on(.DELETE, "/pet/pets/{pet}/memories") { _, parameters in
      try await household.forgetEverything(parameters["pet"])
      return ServiceResponse(.noContent)
    }
  }

  private func fact(_ parameters: Router.Parameters) throws(ServiceError) -> Int64 {
    guard let id = Int64(parameters["fact"]) else {
      throw ServiceError(.notFound, "there is no such memory", parameter: "fact")
    }
    return id
  }

  private func begin(_ request: ServiceRequest) async throws -> ServiceResponse {
    let wanted = try JSON.decode(NewSession.self, request.body)
    let id = Household.SessionID(pet: wanted.pet ?? "mochi", name: wanted.name ?? RequestID.make())
    let session = try await household.session(id)
    let turns = await session.companion.state()?.exchanges.count ?? 0
    let greeting = turns == 0 ? await session.companion.pet.arrive() : []
    return JSON.response(
      SessionForm(id: "\(id)", pet: id.pet, turns: turns, greeting: greeting.map(ReplyForm.init)), .created)
  }

  /// As events where the client takes them (`Accept: text/event-stream`), else whole.
  private func answer(_ request: ServiceRequest, _ id: Household.SessionID) async throws -> ServiceResponse {
    let message = try JSON.decode(NewMessage.self, request.body).text
    guard message.utf8.count <= Self.longestMessage else {
      throw ServiceError(.payloadTooLarge, "a message has at most \(Self.longestMessage) bytes", parameter: "text")
    }
    let session = try await household.session(id)
    guard request.headers["accept"].contains(where: { $0.contains("text/event-stream") }) else {
      return JSON.response(try await form(session, try await session.companion.respond(to: message)))
    }
    return .events { writer in
      @Sendable func send(_ name: String, _ value: some Encodable) async throws {
        try await writer.write("event: \(name)\ndata: \(JSON.text(value))\n\n")
      }
      let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
      do {
        async let written = {
          defer { continuation.finish() }
          return try await session.companion.respond(to: message) { continuation.yield($0) }
        }()
        for await piece in pieces { try await send("token", ["text": piece]) }
        let form = try await form(session, try await written)
        try await send("emotion", ["emotion": form.reply.emotion])
        for action in form.reply.actions { try await send("action", ["action": action]) }
        try await send("state", form.state)
        try await send("done", form)
      } catch  where !(error is DeadlineError) && !(error is CancellationError) {
        try await writer.write(
          "event: error\ndata: \((error as? ServiceError ?? ServiceError(engine: error)).json)\n\n")
      }
    }
  }

  private func form(_ session: Household.Session, _ answer: CompanionAnswer) async throws -> AnswerForm {
    var notices = answer.notices.map { notice in
      switch notice {
      case .shortened(let characters): "shortened: \(characters) characters of the message were read"
      case .notKept: "not kept"
      case .reminder(let reply): "reminder: \(reply.text)"
      }
    }
    let pet = session.companion.pet
    if await pet.mayKeepConversation, let state = await session.companion.state() {
      // What was said was said; that it is not kept must be told.
      do { try session.saved.save(state) } catch { notices.append("not kept") }
    }
    Task(priority: .utility) { [companion = session.companion] in try? await companion.makeReady() }
    return AnswerForm(
      reply: ReplyForm(answer.reply), source: answer.source.rawValue, notices: notices,
      usage: .init(answer.generation.usage), state: await pet.state())
  }
}
