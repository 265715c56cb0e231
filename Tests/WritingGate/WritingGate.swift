// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetLanguage
import Synchronization

/// Keeps a model from writing, so that a test can act while a reply is under way.
package final class WritingGate: Sendable {
  private let isClosed = Mutex(false)
  private let onRequest = Mutex<@Sendable () -> Void>({})

  package init() {}

  /// For the model that is to be held.
  package var observer: RequestObserver {
    RequestObserver(
      began: { [self] in
        let act = onRequest.withLock { $0 }
        act()
      }, ended: { _ in })
  }

  /// All that a model writes is written in one place: what stops there stops the rest.
  /// - Parameter write: has the model write something, and hands on its pieces.
  package func close(
    _ write: @escaping @Sendable (_ onText: @escaping @Sendable (String) -> Void) async throws -> Void
  ) async {
    let (holding, holds) = AsyncStream.makeStream(of: Void.self)
    isClosed.withLock { $0 = true }
    Task { [self] in
      defer { holds.finish() }
      try await write { [self] _ in
        holds.finish()
        while isClosed.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
      }
    }
    for await _ in holding {}
  }

  package func open() { isClosed.withLock { $0 = false } }

  /// Ends when the model is asked for a reply.
  package func nextRequest() -> AsyncStream<Void> {
    let (asked, asks) = AsyncStream.makeStream(of: Void.self)
    onRequest.withLock { $0 = { asks.finish() } }
    return asked
  }
}
