// SPDX-License-Identifier: Apache-2.0
/// A reply while it is written: each element is all there is of it so far, the last one has its ``GenerationResult``.
///
/// The reply begins at once, and is read once, by one loop. Leaving the loop, or cancelling its task, stops it at the next token, as
/// cancelling the task of ``LanguageModelSession/respond(to:options:onText:)`` does; a loop whose task is cancelled ends without a
/// result. Pieces that come faster than they are read wait; none is lost.
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
  private let task: Task<Void, Never>

  /// Runs `body` as a task; ending the stream early cancels it.
  init(
    _ body: @escaping @Sendable (_ emit: @escaping @Sendable (String) -> Void) async throws -> GenerationResult
  ) {
    let (events, continuation) = AsyncThrowingStream<Event, any Error>.makeStream()
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
    (self.events, self.task) = (events, task)
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(events: events.makeAsyncIterator(), reading: Reading(task: task))
  }

  /// Ends with the loop, also where the stream itself is kept.
  fileprivate final class Reading {
    private let task: Task<Void, Never>

    init(task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }
  }

  public struct Iterator: AsyncIteratorProtocol {
    private var events: AsyncThrowingStream<Event, any Error>.Iterator
    private let reading: Reading
    private var text = ""

    fileprivate init(events: AsyncThrowingStream<Event, any Error>.Iterator, reading: Reading) {
      (self.events, self.reading) = (events, reading)
    }

    /// O(length of the reply so far).
    public mutating func next() async throws -> Snapshot? {
      defer { withExtendedLifetime(reading) {} }
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
