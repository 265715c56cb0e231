// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// `/pet/sessions/...`: conversations with pets.
struct SessionRoutes: Sendable {
  let household: Household

  private static let longestKey = 64

  private struct NewSession: Decodable {
    let pet: String?
    let name: String?
    let isKept: Bool?

    enum CodingKeys: String, CodingKey {
      case pet, name
      case isKept = "kept"
    }
  }

  private struct NewMessage: Decodable { let text: String }

  func add(to router: inout Router) {
    router.on(.POST, "/pet/sessions") { request, _ in
      // Every field may be left out, and so may all of them.
      let isEmpty = request.body.readableBytes == 0
      let wanted =
        try isEmpty ? NewSession(pet: nil, name: nil, isKept: nil) : JSON.decode(NewSession.self, request.body)
      let pet = wanted.pet ?? PersonaCatalog.usualName
      guard wanted.isKept ?? true else {
        guard wanted.name == nil else {
          throw ServiceError.invalid("name", "only a conversation that is kept has a name")
        }
        let (id, session) = try await household.passingSession(with: pet)
        return await opened(id, session)
      }
      let id = SessionID(pet: pet, name: wanted.name ?? RequestID.make())
      return await opened(id, try await household.session(id))
    }
    router.on(.PUT, "/pet/sessions/{session}") { _, parameters in
      let id = try id(parameters)
      return await opened(id, try await household.session(id), ifNew: .ok)
    }
    router.on(.GET, "/pet/sessions/{session}") { _, parameters in
      let id = try id(parameters)
      return JSON.response(SessionForm(id, try await household.begunSession(id)))
    }
    router.on(.DELETE, "/pet/sessions/{session}") { _, parameters in
      try await household.forget(try id(parameters))
      return ServiceResponse(.noContent)
    }
    router.on(.GET, "/pet/sessions/{session}/events") { request, parameters in
      try await events(request, try id(parameters))
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

  private func opened(
    _ id: SessionID, _ session: Session, ifNew status: HTTPResponseStatus = .created
  ) async -> ServiceResponse {
    let isNew = session.state == nil
    let greeting = isNew ? await session.pet.arrive(in: session.key) : []
    return JSON.response(SessionForm(id, session, greeting: greeting), isNew ? status : .ok)
  }

  /// What the pet says by itself, unless `initiatives=false`; while somebody listens the conversation is held here.
  private func events(_ request: ServiceRequest, _ id: SessionID) async throws -> ServiceResponse {
    let session = try await household.begunSession(id)
    let wanted = request.target.query["initiatives"] ?? "true"
    guard wanted == "true" || wanted == "false" else {
      throw ServiceError.invalid("initiatives", "initiatives must be true or false")
    }
    let says = wanted == "true"
    return .endlessEvents { [session] writer in
      try await PetRoutes.listen(to: says ? session.resident.initiatives() : AsyncStream { _ in }, writer)
      withExtendedLifetime(session) {}
    }
  }

  /// As events where the client takes them (`Accept: text/event-stream`), else whole.
  private func answer(_ request: ServiceRequest, _ id: SessionID) async throws -> ServiceResponse {
    let message = try JSON.decode(NewMessage.self, request.body).text
    guard !message.isBlank else { throw ServiceError.invalid("text", "text must not be empty") }
    // Who tells of danger is answered first, by words that need no context.
    guard message.utf8.count <= ServiceClient.longestMessage || SafetyNet().hearing(of: message).isAnswered else {
      throw ServiceError(
        .payloadTooLarge, "a message has at most \(ServiceClient.longestMessage) bytes", parameter: "text")
    }
    let keys = request.headers["idempotency-key"]
    guard keys.count < 2 else { throw ServiceError.invalid("Idempotency-Key", "there are several keys; send one") }
    let key = keys.first
    if let key, key.isBlank || key.utf8.count > Self.longestKey {
      throw ServiceError.invalid(
        "Idempotency-Key", "a key has 1 to \(Self.longestKey) bytes, and not white space alone")
    }
    // A message with a key is answered though its sender has gone, which ends whatever this task waits for.
    let session =
      try await key == nil
      ? household.session(id) : Task { [household] in try await household.session(id) }.value
    guard request.takesEvents else {
      return .text(try await session.answer(message, key: key).json, type: "application/json")
    }
    let answer = try await WrittenText { try await session.answer(message, key: key, onText: $0) }
    return .events { writer in
      @Sendable func send(_ name: String, _ value: any Encodable) async throws {
        try await writer.write("event: \(name)\ndata: \(JSON.text(value))\n\n")
      }
      do {
        var isTold = false
        let answer = try await answer.forEach { piece in
          isTold = true
          try await send("token", ["text": piece])
        }
        if let form = answer.form {
          // The pieces went to the request that began it.
          if !isTold { try await send("token", ["text": form.turn.text]) }
          if let danger = form.turn.danger { try await send("danger", ["danger": danger]) }
          if let safety = form.turn.safety { try await send("safety", safety) }
          try await send("emotion", ["emotion": form.turn.emotion])
          for action in form.turn.actions { try await send("action", ["action": action]) }
          try await send("state", form.state)
        }
        try await writer.write("event: done\ndata: \(answer.json)\n\n")
      } catch  where !(error is ResponseWriter.ReaderGone) && !(error is CancellationError) {
        try await writer.write(
          "event: error\ndata: \((error as? ServiceError ?? ServiceError(engine: error)).json)\n\n")
      }
    }
  }
}
