import Glibc

/// Runs `body`, which may block for as long as a person thinks, on a thread of its own: the cooperative pool has as
/// many threads as cores, and a blocked one is lost to every task.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let box = Unmanaged.passRetained(ThreadBody { continuation.resume(with: Result(catching: body)) })
    var thread = pthread_t()
    let failure = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
    guard failure == 0 else {
      box.release()
      continuation.resume(throwing: LineEditorError.thread(failure))
      return
    }
    pthread_detach(thread)
  }
}

/// Starts a thread that lives as long as the process.
func startThread(_ body: @escaping @Sendable () -> Void) throws {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let failure = pthread_create(&thread, nil, runThreadBody, box.toOpaque())
  guard failure == 0 else {
    box.release()
    throw LineEditorError.thread(failure)
  }
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
