// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

/// A thread that cannot be had.
package struct ThreadError: Error, Equatable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String {
    "cannot start a thread: \(String(cString: strerror(code))); \((SystemLimit(ofStart: code) ?? .threads).advice)"
  }
}

/// Starts a thread that runs `body` and ends with it.
package func startThread(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let failure = pthread_create(&thread, nil, { runThreadBody($0) }, box.toOpaque())
  guard failure == 0 else {
    box.release()
    throw ThreadError(code: failure)
  }
  pthread_detach(thread)
}

/// Runs `body`, which may block for as long as a person thinks, on a thread of its own: the cooperative pool has as many
/// threads as cores, and a blocked one is lost to every task.
package func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  let result = Handover<Result<Value, any Error>>()
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    do throws(ThreadError) {
      try startThread {
        result.give(Result(catching: body))
        continuation.resume()
      }
    } catch {
      continuation.resume(throwing: error)
    }
  }
  guard let value = result.take() else { preconditionFailure("a thread went on before it was done") }
  return try value.get()
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
