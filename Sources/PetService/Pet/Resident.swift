// SPDX-License-Identifier: Apache-2.0
import PetEngine
import Synchronization

/// A pet that is here, and who listens to what it says by itself.
final class Resident: Sendable {
  let pet: LivingPet
  let home: PetHome
  private let said = Broadcast<Reply>()
  private let speaking = Mutex((listeners: 0, task: Task<Void, Never>?.none))

  init(_ pet: LivingPet, _ home: PetHome) {
    self.pet = pet
    self.home = home
  }

  /// What it says without being asked. It only speaks where somebody listens; each who does hears all of it.
  func initiatives() -> AsyncStream<Reply> {
    let own = said.stream()
    speaking.withLock { state in
      state.listeners += 1
      guard state.task == nil else { return }
      state.task = Task { [pet, said] in
        while !Task.isCancelled {
          let (reply, again) = await pet.speakFirst()
          if let reply { said.send(reply) }
          // Where only something that happens can make it speak, it is asked again after a while.
          do { try await Task.sleep(for: .seconds(min(again ?? 60, 60))) } catch { return }
        }
      }
    }
    let (stream, continuation) = AsyncStream.makeStream(of: Reply.self)
    let relay = Task {
      for await reply in own { continuation.yield(reply) }
    }
    continuation.onTermination = { [weak self] _ in
      relay.cancel()
      self?.leave()
    }
    return stream
  }

  private func leave() {
    speaking.withLock { state in
      state.listeners -= 1
      guard state.listeners == 0 else { return }
      state.task?.cancel()
      state.task = nil
    }
  }
}
