// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Synchronization

/// Gives back what a daemon that nobody is connected to does not need: pages of its code, and free parts of the heap.
final class RestingMemory: Sendable {
  /// Who comes back within it finds all in its place.
  private static let patience = Duration.seconds(1)

  private let isWaiting = Mutex(false)

  /// Nobody is connected any more. At most once in that time, and no timer runs where nobody comes.
  @Sendable func rest() {
    let isFirst = isWaiting.withLock { isWaiting in
      defer { isWaiting = true }
      return !isWaiting
    }
    guard isFirst else { return }
    Task {
      try? await Task.sleep(for: Self.patience)
      isWaiting.withLock { $0 = false }
      HeapMemory.giveBack()
      MappedPages.letGoProgram()
    }
  }
}
