/// What was waited for did not come in time.
struct DeadlineError: Error {}

/// Runs `body`, and cancels it where it takes longer than `limit`.
/// - Throws: what `body` throws; ``DeadlineError``.
func within(_ limit: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: limit)
      throw DeadlineError()
    }
    defer { group.cancelAll() }
    try await group.next()
  }
}
