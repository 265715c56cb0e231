import PetEngine
import Synchronization

/// A conversation with a pet that is here.
final class Session: Sendable {
  let companion: LazyCompanion
  let resident: Resident
  private let saved: SavedConversation
  private let receipt: Mutex<SavedConversation.Receipt?>

  var pet: LivingPet { resident.pet }

  /// - Throws: `PetHomeError.badName`, `PetHomeError.damaged`, `FileError`.
  init(_ resident: Resident, _ name: String, model: LazyModel<LanguageModel>) throws {
    self.resident = resident
    saved = try SavedConversation(name, of: resident.home)
    let kept = try saved.loadWithReceipt()
    receipt = Mutex(kept?.receipt)
    companion = LazyCompanion(model, pet: resident.pet, resuming: kept?.state) { model in
      try GenerationOptions(
        sampling: .init(
          temperature: model.suitableTemperature, repetitionPenalty: model.suitableRepetitionPenalty,
          seed: .random(in: .min ... .max)),
        maximumTokens: 256, stopsAtLoop: true)
    }
  }

  /// Turns that it goes on from.
  var turns: Int { get async { await companion.state()?.exchanges.count ?? 0 } }

  /// What was answered to the last message, where it was sent with this key.
  func answer(to key: String?) -> String? {
    receipt.withLock { $0.flatMap { $0.key == key ? $0.answer : nil } }
  }

  /// - Parameter receipt: of the last message, for when it is sent again.
  /// - Throws: `FileError`: what was said is then not kept.
  func save(_ receipt: SavedConversation.Receipt?) async throws {
    self.receipt.withLock { $0 = receipt }
    guard await pet.mayKeepConversation, let state = await companion.state() else { return }
    try saved.save(state, receipt)
  }
}
