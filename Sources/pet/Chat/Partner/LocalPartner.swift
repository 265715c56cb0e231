// SPDX-License-Identifier: Apache-2.0
import PetAPI
import PetEngine
import Synchronization

/// A pet in this process.
final class LocalPartner: ChatPartner {
  private let lazy: LazyModel<LanguageModel>
  private let opened: OpenedPet
  private let companion: LazyCompanion
  /// Nil for one that is kept nowhere.
  private let conversation: SavedConversation?
  private let key: ConversationKey
  private let monitor: PrivacyMonitor
  /// What of the conversation is kept, where it has a name.
  private let written: Mutex<WrittenConversation>

  /// - Parameter options: how replies are made, given the model.
  /// - Throws: what is wrong with a conversation that is to go on.
  init(
    _ model: LazyModel<LanguageModel>, _ opened: OpenedPet, _ monitor: PrivacyMonitor,
    options: @escaping LazyCompanion.Options
  ) throws {
    lazy = model
    self.monitor = monitor
    self.opened = opened
    var conversation: SavedConversation?
    if let home = opened.home, let name = opened.session { conversation = try SavedConversation(name, of: home) }
    self.conversation = conversation
    // One without a name ends with the program, and leaves nothing to the next.
    key = conversation?.key ?? .passing(.random(in: 0 ... .max))
    let kept = try conversation?.loadWithNotes()
    written = Mutex(WrittenConversation(kept))
    companion = LazyCompanion(
      model, pet: opened.pet, instructions: opened.instructions, resuming: kept?.state, conversation: key,
      options: options)
  }

  private var pet: LivingPet { opened.pet }

  var name: PartnerName {
    PartnerName(display: opened.displayName, face: pet.name ?? "", isPet: pet.persona != nil)
  }

  func damage() -> [PetHome.Damage] { opened.home?.damage ?? [] }

  func warnings() -> [String] {
    guard opened.instructions != nil else { return [] }
    return [
      "this persona is a text: nothing of this conversation is kept, and nothing of you is remembered; a character card or a "
        + "built-in pet remembers"
    ]
  }

  func arrive() async throws -> (problems: [String], greeting: [Reply]) {
    (damage().map(\.text) + [await unread].compactMap(\.self), await pet.arrive(in: key))
  }

  /// What of a person's own character the model does not read; nil where it reads all of it.
  private var unread: String? {
    get async {
      guard let persona = pet.persona, case let parts = persona.partsLeftOut(), !parts.isEmpty,
        (try? await lazy.use { $0.promptForm }) == .header
      else { return nil }
      let who = persona.pet
      return "\(who.name): this model reads the name, the kind (\(who.kind)) and the temperament (\(who.temperament)); "
        + "for larger models only: \(parts.map(\.rawValue).joined(separator: ", "))"
    }
  }

  func listen(_ say: @Sendable (Reply) -> Void) async {
    while !Task.isCancelled {
      let (reply, again) = await pet.speakFirst()
      if let reply { say(reply) }
      // What happens meanwhile is seen at the latest after this.
      try? await Task.sleep(for: .seconds(min(again ?? 60, 60)))
    }
  }

  func load() async throws { try await companion.check() }
  func prewarm() async throws { try await companion.prewarm() }
  func makeReady() async { try? await companion.makeReady() }

  func answer(_ text: String, onText: @escaping @Sendable (String) -> Void) async throws -> TurnReport {
    let (answer, state) = try await companion.respondKeeping(to: text, waits: true, onText: onText)
    var report = TurnReport(answer, degraded: DegradedForm(await lazy.facts))
    guard let conversation, !answer.isDiscarded else { return report }
    let (words, isFirstUnwritten) = written.withLock { words in
      words.follow(state)
      let isFirst = words.count(answer, at: Moment.current().seconds)
      return (words, isFirst)
    }
    if isFirstUnwritten { report.notices.append(.unkept) }
    do { try conversation.save(words) } catch { report.notices.append(.notKept("\(error)")) }
    return report
  }

  func startAnew() async throws {
    await forgetWords()
    try conversation?.erase()
    try await pet.end(key)
  }

  func isNearDanger() async -> Bool { await pet.isNearDanger(key) }

  func lines() async -> [String] { await companion.state()?.exchanges.flatMap { [$0.user, $0.reply] } ?? [] }

  var given: [String] { opened.given }

  func care(_ action: CareAction, with gift: CareGift?) async throws -> Reply {
    try await pet.care(action, with: gift).reply
  }
  func state() async throws -> PetState { await pet.state() }
  func memories() async throws -> [FactForm] { FactForm.all(try await pet.memories()) }
  func remember(_ text: String) async throws -> [FactForm] { FactForm.all(try await pet.remember(text)) }
  func edit(_ fact: Int64, value: String) async throws { try await pet.edit(fact, value: value) }
  func forget(_ fact: Int64) async throws { try await pet.forget(fact) }
  func undoForgetting() async throws -> [FactForm] { FactForm.all(try await pet.undoForgetting()) }

  func forgetEverything() async throws {
    do throws(ForgettingError) { try await pet.forgetEverything() } catch {
      if !error.isNothingForgotten { await forgetWords() }
      throw error
    }
    await forgetWords()
  }

  /// What was said is in the conversation too.
  private func forgetWords() async {
    await companion.reset()
    written.withLock { $0 = WrittenConversation() }
  }

  func model() async throws -> ServingModel { try await lazy.use { ServingModel($0, as: $0.identity) } }

  func statistics() async throws -> PetStatistics { await PetStatistics(of: pet) }

  func privacy() -> (own: PrivacyForm, service: PrivacyForm?) { (PrivacyForm(monitor), nil) }

  var answerer: String { "this program, by itself" }

  var kept: String {
    opened.home.map {
      "how the pet is, what it remembers of you and answers that it gave: \($0.folder), readable by you alone"
    } ?? "nothing"
  }
}
