import NIOHTTP1
import PetEngine

/// `/pet/sessions/...`: conversations with pets.
struct SessionRoutes: Sendable {
  let household: Household

  /// In bytes.
  private static let longestMessage = 64 << 10
  private static let longestKey = 64

  private struct NewSession: Decodable {
    let pet: String?
    let name: String?
  }

  private struct NewMessage: Decodable { let text: String }

  func add(to router: inout Router) {
    router.on(.POST, "/pet/sessions") { request, _ in
      let wanted = try JSON.decode(NewSession.self, request.body)
      return try await open(SessionID(pet: wanted.pet ?? "mochi", name: wanted.name ?? RequestID.make()), .created)
    }
    router.on(.PUT, "/pet/sessions/{session}") { _, parameters in try await open(try id(parameters), .ok) }
    router.on(.GET, "/pet/sessions/{session}") { _, parameters in
      let id = try id(parameters)
      let turns = try await household.session(id).turns
      return JSON.response(SessionForm(id: "\(id)", pet: id.pet, turns: turns, greeting: [], damage: []))
    }
    router.on(.POST, "/pet/sessions/{session}/messages") { request, parameters in
      try await answer(request, try id(parameters))
    }
  }

  private func id(_ parameters: Router.Parameters) throws(ServiceError) -> SessionID {
    guard let id = SessionID(parameters["session"]) else {
      throw ServiceError(.notFound, "there is no conversation of that name", parameter: "session", code: "not_found")
    }
    return id
  }

  private func open(_ id: SessionID, _ status: HTTPResponseStatus) async throws -> ServiceResponse {
    let session = try await household.session(id)
    let turns = await session.turns
    let greeting = turns == 0 ? await session.pet.arrive() : []
    return JSON.response(
      SessionForm(
        id: "\(id)", pet: id.pet, turns: turns, greeting: greeting.map(ReplyForm.init),
        damage: session.resident.home.damage), status)
  }

  /// As events where the client takes them (`Accept: text/event-stream`), else whole.
  private func answer(_ request: ServiceRequest, _ id: SessionID) async throws -> ServiceResponse {
    let message = try JSON.decode(NewMessage.self, request.body).text
    guard message.utf8.count <= Self.longestMessage else {
      throw ServiceError(.payloadTooLarge, "a message has at most \(Self.longestMessage) bytes", parameter: "text")
    }
    let key = request.headers.first(name: "idempotency-key")
    if let key, !(1...Self.longestKey).contains(key.utf8.count) {
      throw ServiceError.invalid("Idempotency-Key", "a key has 1 to \(Self.longestKey) characters")
    }
    let session = try await household.session(id)
    let isStreaming = request.headers["accept"].contains { $0.contains("text/event-stream") }
    if let before = session.answer(to: key) {
      guard isStreaming else { return .text(before, type: "application/json") }
      return .events { try await $0.write("event: done\ndata: \(before)\n\n") }
    }
    guard isStreaming else {
      return .text(
        try await end(session, try await session.companion.respond(to: message), key).json, type: "application/json")
    }
    return .events { writer in
      @Sendable func send(_ name: String, _ value: any Encodable) async throws {
        try await writer.write("event: \(name)\ndata: \(JSON.text(value))\n\n")
      }
      let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
      do {
        async let written = {
          defer { continuation.finish() }
          let answer = try await session.companion.respond(to: message) { continuation.yield($0) }
          // Kept also where nobody reads to the end.
          return try await end(session, answer, key)
        }()
        for await piece in pieces { try await send("token", ["text": piece]) }
        let (form, json) = try await written
        try await send("emotion", ["emotion": form.turn.emotion])
        for action in form.turn.actions { try await send("action", ["action": action]) }
        try await send("state", form.state)
        try await writer.write("event: done\ndata: \(json)\n\n")
      } catch  where !(error is DeadlineError) && !(error is CancellationError) {
        try await writer.write(
          "event: error\ndata: \((error as? ServiceError ?? ServiceError(engine: error)).json)\n\n")
      }
    }
  }

  /// What is told of a reply, once it is kept.
  private func end(
    _ session: Session, _ answer: CompanionAnswer, _ key: String?
  ) async throws -> (form: AnswerForm, json: String) {
    var form = AnswerForm(TurnReport(answer), await session.pet.state())
    var json = JSON.text(form)
    do {
      try await session.save(key.map { .init(key: $0, answer: json) })
    } catch {
      // What was said was said; that it is not kept must be told.
      form.turn.notices.append("not kept")
      json = JSON.text(form)
    }
    Task(priority: .utility) { [companion = session.companion] in try? await companion.makeReady() }
    return (form, json)
  }
}
