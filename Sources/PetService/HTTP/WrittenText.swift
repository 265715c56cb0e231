// SPDX-License-Identifier: Apache-2.0
/// A text that is being written: its pieces as they come, then what it came to.
package struct WrittenText<Piece: Sendable, Result: Sendable>: Sendable {
  /// Stops the writing when nobody is left who could read it.
  private final class Writing: Sendable {
    let task: Task<Result, any Error>

    init(_ task: Task<Result, any Error>) { self.task = task }

    deinit { task.cancel() }
  }

  private let writing: Writing
  private let pieces: AsyncStream<Piece>
  private let first: Piece?

  /// Returns with the first piece, so that what fails before is told by a status and not in a stream.
  /// - Throws: what `write` throws before there is one.
  package init(_ write: @escaping @Sendable (_ onText: @escaping @Sendable (Piece) -> Void) async throws -> Result)
    async throws
  {
    let (pieces, continuation) = AsyncStream.makeStream(of: Piece.self)
    let task = Task {
      defer { continuation.finish() }
      return try await write { continuation.yield($0) }
    }
    (self.pieces, writing) = (pieces, Writing(task))
    first = await withTaskCancellationHandler {
      var iterator = pieces.makeAsyncIterator()
      return await iterator.next()
    } onCancel: {
      task.cancel()
    }
    if first == nil { _ = try await task.value }
  }

  /// Hands over each piece; where that fails, or nobody waits any more, the writing stops.
  /// - Throws: what `receive` throws, or the writing.
  package func forEach(_ receive: (Piece) async throws -> Void) async throws -> Result {
    try await withTaskCancellationHandler {
      do {
        if let first { try await receive(first) }
        for await piece in pieces { try await receive(piece) }
      } catch {
        writing.task.cancel()
        throw error
      }
      return try await writing.task.value
    } onCancel: {
      writing.task.cancel()
    }
  }
}
