// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// The pets that a daemon minds, and the conversations with them: opened when somebody comes, from the same folders as in
/// `pet chat`, and given back when nobody has come for a while, so that another program can have them.
package actor Household {
  package struct Settings: Sendable {
    package var pet = LivingPet.Settings()
    /// Of each pet.
    package var answers = AnswerKeeping()
    /// A pet is kept so long after it was last asked for.
    package var lease = Duration.seconds(120)
    /// How long a request waits for a pet that another program has.
    package var patience = Duration.seconds(2)
    /// So many pets are here at once; each holds some files open.
    package var mostPets = 64

    package init() {}
  }

  private let folder: String
  private let models: ServedModels
  private let settings: Settings
  private let clock = ContinuousClock()
  private var residents: [String: Lease<Resident>] = [:]
  private var sessions: [SessionID: Lease<Session>] = [:]
  private var collector: Task<Void, Never>?
  /// Conversations in memory; others wait in their files.
  private static let mostSessions = 64

  /// - Parameter folder: where pets live: PET_HOME/pets.
  package init(_ folder: String, models: ServedModels, _ settings: Settings = Settings()) {
    self.folder = folder
    self.models = models
    self.settings = settings
  }

  deinit { collector?.cancel() }

  /// A built-in pet by its short name, as in "mochi", or one of that kind in a home of its own, as in "mochi-ada"; its home is made
  /// where there is none.
  /// - Throws: ``ServiceError``, also where as many pets are here as may be, all of them with somebody;
  ///   `PetHomeError.inUse` where it is with its person in another program.
  func resident(_ name: String) async throws -> Resident {
    let (persona, kind) = try Self.persona(of: name)
    let deadline = clock.now + settings.patience
    while true {
      // Who waited may find that another request has brought it.
      if let known = take(name, of: &residents) { return known }
      try makeRoom()
      do {
        // To wait for another program must not hold a thread: this loop does it.
        let home = try PetHome(place(of: name), answers: settings.answers, patience: .zero)
        let resident = Resident(LivingPet(persona, name: kind, home: home, settings.pet), home)
        keep(resident, as: name, in: &residents)
        return resident
      } catch PetHomeError.inUse where clock.now < deadline {
        // Who has it gives it back, or is killed.
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// A pet for who looks and makes nothing: one that nobody has met yet is as it will be when it is met, and in memory.
  /// - Throws: as ``resident(_:)``.
  func pet(_ name: String) async throws -> LivingPet {
    if isMet(name) { return try await resident(name).pet }
    let (persona, kind) = try Self.persona(of: name)
    return LivingPet(persona, name: kind, settings.pet)
  }

  /// A pet that somebody has met.
  /// - Throws: as ``resident(_:)``.
  func metResident(_ name: String) async throws -> Resident {
    _ = try Self.persona(of: name)
    guard isMet(name) else {
      throw ServiceError(
        .notFound, "nobody has met \(name) yet; PUT /pet/sessions/\(name).NAME begins a conversation", parameter: "pet",
        code: "pet_not_found")
    }
    return try await resident(name)
  }

  /// Whether a pet has a home, on disk.
  private func isMet(_ name: String) -> Bool {
    Self.isName(name) && (residents[name]?.weak != nil || PetHome.isThere(place(of: name)))
  }

  private func place(of name: String) -> String { "\(folder)/\(name)" }

  /// Whether a pet may have this name.
  package static func isPet(_ name: String) -> Bool { (try? persona(of: name)) != nil }

  private static func persona(of name: String) throws(ServiceError) -> (persona: Persona, kind: String) {
    let kind = String(name.prefix { $0 != "-" })
    guard let persona = PersonaCatalog.builtIn(kind), isName(name) else {
      throw ServiceError(.notFound, "there is no pet of that name", parameter: "pet", code: "pet_not_found")
    }
    return (persona, kind)
  }

  /// For one more pet: those that nobody has asked for longest go first.
  private func makeRoom() throws(ServiceError) {
    let oldestFirst = residents.sorted { $0.value.end < $1.value.end }.map { $0.key }
    for name in oldestFirst where residents.count >= settings.mostPets {
      // Its conversations hold it.
      for id in sessions.keys where id.pet == name { letGo(id, of: &sessions) }
      letGo(name, of: &residents)
    }
    guard residents.count < settings.mostPets else {
      throw ServiceError(
        .tooManyRequests, "\(residents.count) pets are here, all of them with somebody", code: "overloaded",
        retryAfter: 1)
    }
  }

  private static func isName(_ name: String) -> Bool {
    name.utf8.count <= 64 && !name.hasSuffix("-")
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  /// The conversation of this name, as it was, or a new one.
  /// - Throws: as ``resident(_:)``; `PetHomeError.badName`, `PetHomeError.damaged`, `FileError`.
  func session(_ id: SessionID) async throws -> Session {
    // Of what is refused nothing is made.
    if !id.isPassing {
      try SavedConversation.check(id.name)
    } else if sessions[id]?.weak == nil {
      throw Self.gone
    }
    let resident = try await resident(id.pet)
    if let known = take(id, of: &sessions) { return known }
    guard !id.isPassing else { throw Self.gone }
    return add(try Session(resident, id.name, model: models.language), as: id)
  }

  private static let gone = ServiceError(
    .notFound, "that conversation was kept nowhere, and has gone", parameter: "session", code: "not_found")

  /// The conversation of this name where there is one: nothing is made for who looks.
  /// - Throws: as ``session(_:)``.
  func begunSession(_ id: SessionID) async throws -> Session {
    if !id.isPassing, sessions[id]?.weak == nil {
      try SavedConversation.check(id.name)
      guard SavedConversation.isThere(id.name, in: try await metResident(id.pet).home) else {
        throw ServiceError(
          .notFound, "there is no conversation of that name; PUT begins it, and its first message keeps it",
          parameter: "session", code: "not_found")
      }
    }
    return try await session(id)
  }

  /// Erases a conversation; nothing where there is none.
  /// - Throws: as ``session(_:)``, and as ``Session/forget()``.
  func forget(_ id: SessionID) async throws {
    if !id.isPassing {
      try SavedConversation.check(id.name)
      _ = try Self.persona(of: id.pet)
      guard isMet(id.pet) else { return }
    }
    try await session(id).forget()
    // Who listens holds it still.
    letGo(id, of: &sessions)
  }

  /// A new conversation that is kept nowhere: it is here while somebody holds it, or came back lately.
  /// - Throws: as ``resident(_:)``.
  func passingSession(with pet: String) async throws -> (id: SessionID, session: Session) {
    let resident = try await resident(pet)
    let id = SessionID(passingWith: pet)
    return (id, add(try Session(resident, id.name, isKept: false, model: models.language), as: id))
  }

  /// What was computed of conversations is kept for as long as it takes no more than a quarter of the memory for models; the one
  /// that was used last keeps it in any case.
  private func relieve() async {
    let room = Int(clamping: models.runtime.budget / 4)
    let oldestFirst = sessions.sorted { $0.value.end < $1.value.end }.dropLast().compactMap { $0.value.weak }
    for session in oldestFirst {
      guard await models.computedBytes > room else { return }
      await session.companion.sleep()
    }
  }

  private func add(_ session: Session, as id: SessionID) -> Session {
    session.onRest { [weak self] in await self?.relieve() }
    keep(session, as: id, in: &sessions)
    let isCrowded = sessions.values.count { $0.strong != nil } > Self.mostSessions
    if isCrowded,
      let oldest = sessions.filter({ $0.value.strong != nil }).min(by: { $0.value.end < $1.value.end })?.key
    {
      // Each was saved with its last turn.
      letGo(oldest, of: &sessions)
    }
    return session
  }

  /// Erases all that a pet remembers, its conversations with it.
  /// - Throws: as ``resident(_:)``; `ForgettingError`.
  func forgetEverything(_ name: String) async throws {
    _ = try Self.persona(of: name)
    guard isMet(name) else { return }
    let resident = try await resident(name)
    var left: [(part: ForgettingError.Part, cause: any Error)] = []
    do throws(ForgettingError) { try await resident.pet.forgetEverything() } catch {
      guard !error.isNothingForgotten else { throw error }
      left = error.left
    }
    // An answer that was under way may have been written down since, and must not be from here on, whoever holds its conversation.
    for session in conversations(with: name) {
      do { try await session.forget() } catch { left.append((.conversations, error)) }
    }
    if !left.isEmpty { throw ForgettingError(left) }
  }

  private func conversations(with pet: String) -> [Session] {
    sessions.compactMap { $0.key.pet == pet ? $0.value.weak : nil }
  }

  /// Gives back at once what nobody uses just now.
  package func giveBackUnused() {
    for key in sessions.keys { sessions[key]?.strong = nil }
    for key in residents.keys { residents[key]?.strong = nil }
  }

  /// Waits for the answers that go on though whoever asked has gone; see ``Session/settle()``.
  package func settle() async {
    for session in sessions.values.compactMap({ $0.weak }) { await session.settle() }
  }

  /// Ends the answers that go on though whoever asked has gone; see ``Session/breakOff()``.
  package func breakOff() {
    for session in sessions.values.compactMap({ $0.weak }) { session.breakOff() }
  }

  /// Pets that are here.
  package var petCount: Int { residents.count }

  /// Of the caches of kept answers of the pets that are here.
  var cacheStatistics: [CacheStatistics] {
    residents.values.compactMap { $0.strong?.pet.cacheStatistics }
  }

  // MARK: Leases

  /// Holds what was used lately; who uses it longer holds it too, and it is found again for as long.
  private struct Lease<Value: AnyObject> {
    var strong: Value?
    weak var weak: Value?
    var end: ContinuousClock.Instant
  }

  private func take<Key, Value>(_ key: Key, of leases: inout [Key: Lease<Value>]) -> Value? {
    guard let value = leases[key]?.weak else { return nil }
    leases[key]?.strong = value
    leases[key]?.end = clock.now + settings.lease
    return value
  }

  /// Who uses it holds it still; then it is found again.
  private func letGo<Key, Value>(_ key: Key, of leases: inout [Key: Lease<Value>]) {
    leases[key]?.strong = nil
    if leases[key]?.weak == nil { leases[key] = nil }
  }

  private func keep<Key, Value>(_ value: Value, as key: Key, in leases: inout [Key: Lease<Value>]) {
    leases[key] = Lease(strong: value, weak: value, end: clock.now + settings.lease)
    guard collector == nil else { return }
    collector = Task { [weak self, clock] in
      while let next = await self?.collect() { try? await clock.sleep(until: next) }
    }
  }

  /// Lets go whose time is up; when to do so next, nil: there is nobody left.
  private func collect() -> ContinuousClock.Instant? {
    let now = clock.now
    func collect<Key, Value>(_ leases: inout [Key: Lease<Value>]) {
      for key in leases.keys where (leases[key]?.end ?? now) <= now { leases[key]?.strong = nil }
      leases = leases.filter { $0.value.weak != nil }
    }
    // What a conversation holds goes with it.
    collect(&sessions)
    collect(&residents)
    guard let next = (sessions.values.map(\.end) + residents.values.map(\.end)).min(), !Task.isCancelled else {
      collector = nil
      return nil
    }
    // Those in use beyond their time are looked at again.
    return max(next, now + min(settings.lease, .seconds(1)))
  }
}
