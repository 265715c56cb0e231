// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import PetRuntime
import Synchronization

/// A thread that waits for sockets, and reads and writes them: another process keeps no thread of the cooperative pool waiting.
///
/// It needs `poll`, `read` and `write` alone: a process that is sealed beside a broker has no `send`, which could be told to raise no
/// SIGPIPE. So this thread blocks that signal.
final class SocketThread: Sendable {
  private struct Wait {
    let descriptor: Int32
    let events: Int16
    /// Called once, with what the socket is ready for; nil: the task was cancelled.
    let end: @Sendable (Int32?) -> Void
  }

  private struct State {
    var waits: [UInt64: Wait] = [:]
    var next: UInt64 = 0
  }

  private static let running = Mutex<SocketThread?>(nil)

  private let state = Mutex(State())
  /// Wakes it up, to look at `state` again.
  private let pipe: Pipe

  /// The one of this process, started where it does not run yet.
  /// - Throws: `ThreadError`.
  static func shared() throws(ThreadError) -> SocketThread {
    try running.withLock { thread throws(ThreadError) in
      if let thread { return thread }
      let new = try SocketThread()
      thread = new
      return new
    }
  }

  private init() throws(ThreadError) {
    do { pipe = try Pipe() } catch { throw ThreadError(code: error.code) }
    // A full pipe holds wake-ups enough.
    _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
    try startThread { [self] in run() }
  }

  /// Runs `body`, which must not block, on this thread, as soon as `descriptor` is ready for one of `events` of poll(2), or broken.
  /// - Throws: `CancellationError`.
  func whenReady<Value: Sendable>(
    _ descriptor: Int32, for events: Int32, _ body: @escaping @Sendable (_ ready: Int32) -> Value
  ) async throws -> Value {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        let wait = Wait(descriptor: descriptor, events: Int16(events)) { ready in
          if let ready {
            continuation.resume(returning: body(ready))
          } else {
            continuation.resume(throwing: CancellationError())
          }
        }
        state.withLock { $0.waits[number] = wait }
        // It may have been cancelled before there was anything to remove.
        if Task.isCancelled { cancel(number) } else { wake() }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: UInt64) {
    guard let wait = take(number) else { return }
    // A socket that is closed stays open for the other end as long as it is waited for here.
    wake()
    wait.end(nil)
  }

  /// Nil: it has ended.
  private func take(_ number: UInt64) -> Wait? { state.withLock { $0.waits.removeValue(forKey: number) } }

  private func wake() { _ = write(pipe.writeEnd, "", 1) }

  private func run() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var wakeUps = [UInt8](repeating: 0, count: 64)
    while true {
      let waits = state.withLock { Array($0.waits) }
      var polled = [pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)]
      polled += waits.map { pollfd(fd: $0.value.descriptor, events: $0.value.events, revents: 0) }
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      if polled[0].revents != 0 { _ = read(pipe.readEnd, &wakeUps, wakeUps.count) }
      for (wait, polled) in zip(waits, polled.dropFirst()) where polled.revents != 0 {
        // Nil: cancelled meanwhile, and its descriptor may be another's.
        take(wait.key)?.end(Int32(polled.revents))
      }
    }
  }
}
