// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Reports memory pressure from what the system offers: stall information, events of control groups, else the free memory.
///
/// ```swift
/// let monitor = try MemoryPressureMonitor()
/// await runtime.follow(monitor.levels)
/// ```
///
/// One thread sleeps until the kernel wakes it. The levels end when the monitor is released or stopped.
public final class MemoryPressureMonitor: Sendable {
  /// What the levels come from, besides ``report(_:)``.
  package let sources: [PressureSource]
  private let broadcast: Broadcast<MemoryPressureLevel>
  private let stopSignal: StopSignal
  /// Whether its thread is there.
  package var isRunning: Bool { stopSignal.isHeard.load(ordering: .acquiring) }

  /// - Parameters:
  ///   - root: below which the files of the system are, "/" but for tests.
  ///   - tick: how often the memory that is left is looked at where nothing else tells, and a fifth of the time without signs of pressure
  ///     after which it is over.
  /// - Throws: `PipeError`, `ThreadError`.
  public convenience init(root: String = "/", tick: Duration = .seconds(2)) throws {
    let facts = PressureSource.Facts.read(root: root) { StallTrigger(path: $0, level: .warning) != nil }
    try self.init(sources: PressureSource.choose(facts), root: root, tick: tick)
  }

  init(sources: [PressureSource], root: String, tick: Duration) throws {
    let stopSignal = StopSignal(try Pipe())
    let broadcast = Broadcast<MemoryPressureLevel>()
    self.sources = sources
    self.stopSignal = stopSignal
    self.broadcast = broadcast
    let milliseconds = Int32(clamping: Int64((tick / .milliseconds(1)).rounded()))
    let watch = PressureWatch(sources, root: root)
    try startThread {
      while watch.wait(tick: max(1, milliseconds), stop: stopSignal.descriptor, { broadcast.send($0) }) {}
      stopSignal.isHeard.store(false, ordering: .releasing)
    }
  }

  deinit { stop() }

  /// Every sign of pressure from now on, and `.normal` when it is over.
  public var levels: AsyncStream<MemoryPressureLevel> { broadcast.stream() }

  /// Reports a level on behalf of the caller.
  public func report(_ level: MemoryPressureLevel) { broadcast.send(level) }

  /// Ends the thread and the levels.
  public func stop() {
    stopSignal.send()
    broadcast.finish()
  }
}

/// Wakes a thread for good. The pipe is open as long as either side holds this.
private final class StopSignal: Sendable {
  private let pipe: Pipe
  /// Whether somebody still waits for it.
  let isHeard = Atomic(true)

  init(_ pipe: consuming Pipe) { self.pipe = pipe }

  var descriptor: Int32 { pipe.readEnd }

  func send() {
    var byte: UInt8 = 1
    _ = write(pipe.writeEnd, &byte, 1)
  }
}
