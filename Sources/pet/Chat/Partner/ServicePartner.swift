// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine
import Synchronization

/// A pet that a running petd minds.
final class ServicePartner: ChatPartner {
  private let client: ServiceClient
  private let pet: String
  private let session: Mutex<SessionForm>
  /// Nil for a conversation that is kept nowhere.
  private let sessionName: String?
  private let holder: Mutex<Task<Void, Never>?>
  /// Whether anything was said that a petd which is started anew does not know.
  private let hasSpoken = Mutex(false)

  /// - Parameter session: the name of the conversation to go on with.
  /// - Throws: `ServiceClient.Failure`.
  init(_ client: ServiceClient, pet: String, session: String?) async throws {
    self.client = client
    self.pet = pet
    sessionName = session
    self.session = Mutex(try await Self.open(client, pet, session))
    holder = Mutex(nil)
    hold()
  }

  deinit { holder.withLock { $0 }?.cancel() }

  private static func open(_ client: ServiceClient, _ pet: String, _ name: String?) async throws -> SessionForm {
    struct Wanted: Encodable {
      let pet: String
      let kept = false
    }
    guard let name else { return try await client.value(.POST, "/pet/sessions", Wanted(pet: pet)) }
    return try await client.value(.PUT, "/pet/sessions/\(pet).\(name)", [String: String]())
  }

  /// The conversation stays where it is for as long as this program runs, however long nobody types.
  private func hold() {
    let path = "/pet/sessions/\(id)/events?initiatives=false"
    let task = Task<Void, Never> { [client] in
      do { try await client.events(.GET, path) { _ in } } catch {}
    }
    holder.withLock { old in
      old?.cancel()
      old = task
    }
  }

  private var id: String { session.withLock { $0.id } }
  private var path: String { "/pet/sessions/\(id)" }

  var name: PartnerName {
    PartnerName(display: session.withLock { $0.petName }, face: pet, isPet: true)
  }

  func damage() -> [PetHome.Damage] { session.withLock { $0.damage } }
  func warnings() -> [String] { [] }

  func arrive() async throws -> (problems: [String], greeting: [Reply]) {
    session.withLock { ($0.damage.map(\.text), $0.greeting.map(\.reply)) }
  }

  func listen(_ say: @Sendable (Reply) -> Void) async {
    while !Task.isCancelled {
      try? await client.events(.GET, "/pet/pets/\(pet)/events") { event in
        if event.name == "initiative", let form = event.value(ReplyForm.self) { say(form.reply) }
      }
      // It went; perhaps it comes again.
      try? await Task.sleep(for: .seconds(5))
    }
  }

  /// What is wrong with the model, the answer to a message says.
  func load() async throws {}
  func prewarm() async throws { try await client.bytes(.POST, "/pet/models/load") }
  /// petd does it by itself.
  func makeReady() async {}

  func answer(_ text: String, onText: @escaping @Sendable (String) -> Void) async throws -> TurnReport {
    let report: TurnReport = try await patiently {
      do {
        return try await send(text, onText)
      } catch ServiceClient.Failure.refused(404, _, _) where sessionName == nil {
        // Another petd than the one that had it.
        try await renew()
        var report = try await send(text, onText)
        if hasSpoken.withLock({ $0 }) {
          report.notices.insert(
            .notKept("what was said before this message; petd was started anew, or has let the conversation go"), at: 0)
        }
        return report
      }
    }
    hasSpoken.withLock { $0 = true }
    return report
  }

  /// In tenths of a second: how long a petd that is started anew takes at most.
  private static let patience = 50

  /// Asks again where nobody listened, once petd is there again. What reached it is not asked twice.
  /// - Throws: ``ServiceClient/Failure``.
  private func patiently<Value: Sendable>(_ ask: () async throws -> Value) async throws -> Value {
    do {
      return try await ask()
    } catch ServiceClient.Failure.noService(let socket) {
      guard await isBack() else { throw ServiceClient.Failure.noService(socket: socket) }
      if sessionName != nil { hold() }
      return try await ask()
    }
  }

  private func isBack() async -> Bool {
    for _ in 0..<Self.patience where !Task.isCancelled {
      if client.isListening { return true }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return false
  }

  /// The beginning and the end of a message that petd would refuse for its length, as much as it takes.
  private static func shortened(_ text: String) -> String {
    // For the mark between them, and for a character that the end would begin within.
    let room = ServiceClient.longestMessage - 8
    let head = text.utf8.index(text.startIndex, offsetBy: room * 2 / 3)
    let tail = text.utf8.index(text.endIndex, offsetBy: room * 2 / 3 - room)
    return "\(text[..<head]) \u{2026} \(text[tail...])"
  }

  private func send(_ text: String, _ onText: @escaping @Sendable (String) -> Void) async throws -> TurnReport {
    guard text.utf8.count <= ServiceClient.longestMessage else {
      let part = Self.shortened(text)
      var report = try await send(part, onText)
      let isTold = report.notices.contains { if case .shortened = $0 { true } else { false } }
      if !isTold { report.notices.insert(.shortened(characters: part.count), at: 0) }
      return report
    }
    let said = Mutex("")
    do {
      let answer: AnswerForm = try await client.answer(path + "/messages", ["text": text]) { piece in
        said.withLock { $0 += piece }
        onText(piece)
      }
      return answer.turn
    } catch  where Task.isCancelled {
      // That nobody reads any more stops the reply there too.
      return TurnReport(cut: said.withLock { $0 })
    }
  }

  private func renew() async throws {
    let form = try await Self.open(client, pet, sessionName)
    session.withLock { $0 = form }
    hold()
  }

  func isNearDanger() -> Bool { session.withLock { $0.unkept != nil } }

  /// None where it cannot be asked.
  func lines() async -> [String] {
    do {
      let form: SessionForm = try await client.value(.GET, path)
      return form.exchanges.flatMap { [$0.user, $0.reply.text] }
    } catch {
      return []
    }
  }

  /// petd is told nothing so.
  var given: [String] { [] }

  func startAnew() async throws {
    do {
      try await patiently { _ = try await client.bytes(.DELETE, path) }
    } catch ServiceClient.Failure.refused(404, _, _) where sessionName == nil {
      // A petd that was started anew does not know it.
    }
    hasSpoken.withLock { $0 = false }
    if sessionName == nil { try await renew() }
  }

  func care(_ action: CareAction, with gift: CareGift?) async throws -> Reply {
    var body = ["action": action.rawValue]
    body["gift"] = gift?.name
    let form: CareForm = try await value(.POST, "/care", body)
    return form.reply.reply
  }

  func state() async throws -> PetState { try await value(.GET, "/state") }

  func memories() async throws -> [FactForm] {
    let list: ListForm<FactForm> = try await value(.GET, "/memories")
    return list.data
  }

  func remember(_ text: String) async throws -> [FactForm] {
    let list: ListForm<FactForm> = try await value(.POST, "/memories", ["text": text])
    return list.data
  }

  func edit(_ fact: Int64, value: String) async throws {
    try await bytes(.PATCH, "/memories/\(fact)", ["value": value])
  }

  func forget(_ fact: Int64) async throws { try await bytes(.DELETE, "/memories/\(fact)") }

  func undoForgetting() async throws -> [FactForm] {
    let list: ListForm<FactForm> = try await value(.POST, "/undo-forgetting")
    return list.data
  }

  func forgetEverything() async throws {
    try await bytes(.DELETE, "/memories")
    hasSpoken.withLock { $0 = false }
    try await renew()
  }

  /// Of the pet.
  private func value<Value: Decodable & Sendable>(
    _ method: ServiceClient.Method, _ part: String, _ body: [String: String]? = nil
  ) async throws -> Value {
    try await patiently { try await client.value(method, "/pet/pets/\(pet)\(part)", body) }
  }

  /// Of the pet.
  private func bytes(_ method: ServiceClient.Method, _ part: String, _ body: [String: String]? = nil) async throws {
    try await patiently { _ = try await client.bytes(method, "/pet/pets/\(pet)\(part)", body) }
  }

  func model() async throws -> ServingModel {
    try await patiently { try await client.value(.GET, "/pet/models/serving") }
  }

  func statistics() async throws -> PetStatistics { try await value(.GET, "/statistics") }

  func privacy() async throws -> (own: PrivacyForm, service: PrivacyForm?) {
    (PrivacyForm(PrivacyMonitor()), try await patiently { try await client.value(.GET, "/pet/privacy") })
  }

  var answerer: String {
    let users = client.service.users.map(String.init).joined(separator: " or ")
    return "petd, at \(client.socket): this program sends it what you say, where user \(users) listens, and nobody else"
  }

  var kept: String {
    "how the pet is, what it remembers of you and answers that it gave: by petd, at \(client.socket), for you alone"
  }
}
