// SPDX-License-Identifier: Apache-2.0
import NIOHTTP1
import PetAPI
import PetEngine

/// `/pet/pets/...`: how pets fare, what they remember, what they say by themselves.
struct PetRoutes: Sendable {
  let household: Household

  private struct NewCare: Decodable {
    let action: String
    /// What it is fed.
    let gift: String?
  }
  private struct NewFact: Decodable { let value: String }
  private struct NewMemory: Decodable { let text: String }

  /// Who listens is told that nothing happens, so that both sides notice when the other has gone.
  private static let silence = Duration.seconds(30)

  func add(to router: inout Router) {
    router.on(.GET, "/pet/pets") { _, _ in JSON.response(ListForm(data: PersonaCatalog.builtInNames)) }
    router.on(.GET, "/pet/pets/{pet}/state") { _, parameters in
      JSON.response(try await household.pet(parameters["pet"]).state())
    }
    router.on(.POST, "/pet/pets/{pet}/care") { request, parameters in
      let care = try JSON.decode(NewCare.self, request.body)
      guard let action = CareAction(rawValue: care.action) else {
        throw ServiceError.invalid(
          "action", "action must be one of \(CareAction.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      guard action != .feed || care.gift.map(CareGift.isHarmful) != true else {
        throw ServiceError.invalid("gift", "gift could hurt a pet, so nothing was fed")
      }
      // What is no short name of something to eat is not named.
      let gift = action == .feed ? care.gift.flatMap { CareGift($0) } : nil
      let pet = try await household.resident(parameters["pet"]).pet
      let (result, reply) = try await pet.care(action, with: gift)
      var isAccepted = false
      if case .accepted = result.outcome { isAccepted = true }
      return JSON.response(CareForm(reply: ReplyForm(reply), isAccepted: isAccepted, state: await pet.state()))
    }
    router.on(.GET, "/pet/pets/{pet}/events") { _, parameters in
      events(of: try await household.metResident(parameters["pet"]))
    }
    router.on(.GET, "/pet/pets/{pet}/statistics") { _, parameters in
      JSON.response(await PetStatistics(of: try await household.pet(parameters["pet"])))
    }
    addMemories(to: &router)
  }

  private func addMemories(to router: inout Router) {
    router.on(.GET, "/pet/pets/{pet}/memories") { _, parameters in
      let facts = try await household.pet(parameters["pet"]).memories()
      return JSON.response(ListForm(data: FactForm.all(facts)))
    }
    router.on(.POST, "/pet/pets/{pet}/memories") { request, parameters in
      let text = try JSON.decode(NewMemory.self, request.body).text
      guard !text.isBlank else { throw ServiceError.invalid("text", "text must not be empty") }
      let facts = try await household.resident(parameters["pet"]).pet.remember(text)
      return JSON.response(ListForm(data: FactForm.all(facts)), .created)
    }
    router.on(.POST, "/pet/pets/{pet}/undo-forgetting") { _, parameters in
      let facts = try await household.resident(parameters["pet"]).pet.undoForgetting()
      return JSON.response(ListForm(data: FactForm.all(facts)))
    }
    router.on(.PATCH, "/pet/pets/{pet}/memories/{fact}") { request, parameters in
      let value = try JSON.decode(NewFact.self, request.body).value
      guard !value.isBlank else { throw ServiceError.invalid("value", "value must not be empty") }
      try await household.pet(parameters["pet"]).edit(try fact(parameters), value: value)
      return ServiceResponse(.noContent)
    }
    router.on(.DELETE, "/pet/pets/{pet}/memories/{fact}") { _, parameters in
      try await household.pet(parameters["pet"]).forget(try fact(parameters))
      return ServiceResponse(.noContent)
    }
    router.on(.DELETE, "/pet/pets/{pet}/memories") { _, parameters in
      try await household.forgetEverything(parameters["pet"])
      return ServiceResponse(.noContent)
    }
  }

  private func fact(_ parameters: Router.Parameters) throws(ServiceError) -> Int64 {
    guard let id = Int64(parameters["fact"]) else {
      throw ServiceError(.notFound, "there is no such memory", parameter: "fact", code: "not_found")
    }
    return id
  }

  /// What it says by itself, for as long as somebody listens.
  private func events(of resident: Resident) -> ServiceResponse {
    .endlessEvents { writer in try await Self.listen(to: resident.initiatives(), writer) }
  }

  static func listen(to replies: AsyncStream<Reply>, _ writer: ResponseWriter) async throws {
    try await writer.write(": listening\n\n")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while true {
          try await Task.sleep(for: silence)
          try await writer.write(": silence\n\n")
        }
      }
      group.addTask {
        for await reply in replies {
          try await writer.write("event: initiative\ndata: \(JSON.text(ReplyForm(reply)))\n\n")
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
