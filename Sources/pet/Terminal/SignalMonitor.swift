// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import Glibc
import PetRuntime
import Synchronization

/// Turns signals into calls on an ordinary thread, to whoever asked last.
///
/// The handler itself only writes the signal's number into a pipe; a thread reads it and calls the newest handler, then
/// older ones until one says that it has dealt with it. What nobody deals with: SIGTERM, SIGHUP and SIGQUIT end the process
/// as usual; SIGINT is swallowed, because a Ctrl-C that comes a moment after the reply it was meant for must not end the
/// program, but the third within two seconds does.
package final class SignalMonitor: Sendable {
  package static let shared = SignalMonitor()

  /// Returns whether the signal was dealt with. Called on the monitor's thread: be brief.
  package typealias Handler = @Sendable (_ signal: Int32) -> Bool

  private struct State {
    var started = false
    var handlers: [(id: UInt64, handler: Handler)] = []
    var nextID: UInt64 = 0
    var unclaimed = InterruptCount(limit: 3)
    /// Of all, also those that stopped a reply; nil: they are not counted.
    var every: InterruptCount?
    var isInterrupted = false
  }

  private let state = Mutex(State())

  /// Installs the handlers; doing it again changes nothing. Until then SIGINT ends the process. A signal that whoever started the
  /// process had it ignore, as nohup does, stays ignored.
  package func start() throws {
    try state.withLock { state in
      guard !state.started else { return }
      let pipe = try WakePipe()
      signalPipe.store(pipe.writeEnd, ordering: .sequentiallyConsistent)
      try startThread { [self] in deliver(from: pipe) }
      for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGCONT] where !InheritedSignal.isIgnored(number) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
      }
      state.started = true
    }
  }

  /// Where nobody types, the second SIGINT within two seconds ends the process, whatever the first stopped.
  package func endAtSecondInterrupt() { state.withLock { $0.every = InterruptCount(limit: 2) } }

  /// Whether a SIGINT came, whatever it stopped.
  package var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// Runs `operation` as a task that the first SIGINT cancels: how Ctrl-C stops a reply and nothing else.
  package func cancellingOnInterrupt<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let switchOff = CancellationSwitch()
    // First the handler, then the task: an interrupt in between must not be lost.
    let id = push { signal in signal == SIGINT && switchOff.turn() }
    defer { remove(id) }
    let task = Task { try await operation() }
    switchOff.connect { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  func push(_ handler: @escaping Handler) -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      state.handlers.append((state.nextID, handler))
      return state.nextID
    }
  }

  func remove(_ id: UInt64) {
    state.withLock { $0.handlers.removeAll { $0.id == id } }
  }

  private func deliver(from pipe: WakePipe) {
    while true {
      var ready = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, -1) > 0, let byte = pipe.receive() else { continue }
      let number = Int32(byte)
      if number == SIGINT {
        let isEnough = state.withLock { state in
          state.isInterrupted = true
          return state.every?.add(at: ContinuousClock.now) == true
        }
        if isEnough { ProcessSignals.die(of: number) }
      }
      let handlers = state.withLock { $0.handlers }
      if handlers.reversed().contains(where: { $0.handler(number) }) { continue }
      switch number {
      case SIGTERM, SIGHUP, SIGQUIT:
        ProcessSignals.die(of: number)
      case SIGINT:
        let isEnough = state.withLock { $0.unclaimed.add(at: ContinuousClock.now) }
        if isEnough { ProcessSignals.die(of: number) }
      default:
        break
      }
    }
  }
}

/// Cancels something once, also something that is connected only after the switch was turned.
private final class CancellationSwitch: Sendable {
  private struct State {
    var isTurned = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Returns whether this was the first time.
  func turn() -> Bool {
    let (isFirst, cancel) = state.withLock { state in
      defer { state.isTurned = true }
      return (!state.isTurned, state.cancel)
    }
    if isFirst { cancel?() }
    return isFirst
  }

  func connect(_ cancel: @escaping @Sendable () -> Void) {
    let isTurned = state.withLock { state in
      state.cancel = cancel
      return state.isTurned
    }
    if isTurned { cancel() }
  }
}

/// Counts interrupts that come close together.
package struct InterruptCount: Sendable {
  let limit: Int
  let window: Duration
  private var times: [ContinuousClock.Instant] = []

  package init(limit: Int, window: Duration = .seconds(2)) {
    self.limit = limit
    self.window = window
  }

  /// Whether this one is the `limit`th within the window.
  package mutating func add(at now: ContinuousClock.Instant) -> Bool {
    times.removeAll { $0.duration(to: now) > window }
    times.append(now)
    return times.count >= limit
  }

  package mutating func reset() { times = [] }
}

/// What a signal handler may reach: an atomic number.
private let signalPipe = Atomic<Int32>(-1)

private func noteSignal(_ number: Int32) {
  let saved = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
  errno = saved
}
