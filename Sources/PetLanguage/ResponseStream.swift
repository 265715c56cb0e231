// SPDX-License-Identifier: Apache-2.0
/// A reply while it is written: each element is all there is of it so far, the last one has its ``GenerationResult``.
///
/// Leaving the loop, or cancelling its task, stops the reply at the next token, as cancelling the task of
/// ``LanguageModelSession/respond(to:options:onText:)`` does. Pieces that come faster than they are read wait; none is lost.
public struct ResponseStream: AsyncSequence, Sendable {
  public struct Snapshot: Sendable, Equatable {
    /// The reply so far: whole characters, no special tokens.
    public let text: String
    /// What came behind the snapshot before; empty in the last one.
    public let piece: String
    /// The finished reply; nil in all but the last.
    public let result: GenerationResult?
  }

  fileprivate enum Event: Sendable {
    case text(String)
    case finished(GenerationResult)
  }

  private let events: AsyncThrowingStream<Event, any Error>

  /// Runs `body` as a task; ending the stream early cancels it.
  init(
    _ body: @escaping @Sendable (_ emit: @escaping @Sendable (String) -> Void) async throws -> GenerationResult
  ) {
    events = AsyncThrowingStream { continuation in
      let task = Task {
        do {
          let result = try await body { continuation.yield(.text($0)) }
          continuation.yield(.finished(result))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { reason in
        if case .cancelled = reason { task.cancel() }
      }
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    private var events: AsyncThrowingStream<Event, any Error>.Iterator
    private var text = ""

    fileprivate init(events: AsyncThrowingStream<Event, any Error>.Iterator) { self.events = events }

    /// O(length of the reply so far).
    public mutating func next() async throws -> Snapshot? {
      switch try await events.next() {
      case nil: return nil
      case .text(let piece):
        text += piece
        return Snapshot(text: text, piece: piece, result: nil)
      case .finished(let result): return Snapshot(text: result.text, piece: "", result: result)
      }
    }
  }
}
