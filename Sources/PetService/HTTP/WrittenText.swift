/// A text that is being written: its pieces as they come, then what it came to.
struct WrittenText<Result: Sendable>: Sendable {
  private let task: Task<Result, any Error>
  private let pieces: AsyncStream<String>
  private let first: String?

  /// Returns with the first piece, so that what fails before is told by a status and not in a stream.
  /// - Throws: what `write` throws before there is one.
  init(_ write: @escaping @Sendable (_ onText: @escaping @Sendable (String) -> Void) async throws -> Result)
    async throws
  {
    let (pieces, continuation) = AsyncStream.makeStream(of: String.self)
    let task = Task {
      defer { continuation.finish() }
      return try await write { continuation.yield($0) }
    }
    (self.pieces, self.task) = (pieces, task)
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
  func forEach(_ receive: (String) async throws -> Void) async throws -> Result {
    try await withTaskCancellationHandler {
      do {
        if let first { try await receive(first) }
        for await piece in pieces { try await receive(piece) }
      } catch {
        task.cancel()
        throw error
      }
      return try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}
