// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

/// On a tree of files: the events of a group, and what is left. Stalls need a kernel: see `LimitedGroupTests`.
@Suite("Memory pressure monitor", .timeLimit(.minutes(1)))
struct MemoryPressureMonitorTests {
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
    try root.write("proc/meminfo", "MemTotal: 10000 kB\nMemAvailable: 4000 kB\n")
  }

  /// At once: a file that is empty for a moment says that nothing is known.
  private func setAvailable(_ kilobytes: String) throws {
    try root.rewrite("proc/meminfo", "MemTotal: 10000 kB\nMemAvailable: \(kilobytes) kB\n")
  }

  @Test("polling: told when it gets worse, and once when it is over")
  func polling() async throws {
    let monitor = try MemoryPressureMonitor(root: root.path, tick: .milliseconds(1))
    #expect(monitor.sources == [.polling])
    var levels = monitor.levels.makeAsyncIterator()
    try setAvailable("0900")
    #expect(await levels.next() == .warning)
    try setAvailable("0400")
    #expect(await levels.next() == .critical)
    try setAvailable("4000")
    #expect(await levels.next() == .normal)
  }

  @Test("the events of a group: what changed says how bad it is")
  func events() async throws {
    try root.write("proc/self/cgroup", "0::/pet\n")
    let path = try root.write("sys/fs/cgroup/pet/memory.events", "low 0\nhigh 3\nmax 1\noom 0\noom_kill 0\n")
    let monitor = try MemoryPressureMonitor(root: root.path, tick: .milliseconds(1))
    #expect(monitor.sources == [.events(path: path), .polling])
    var levels = monitor.levels.makeAsyncIterator()
    try root.rewrite("sys/fs/cgroup/pet/memory.events", "low 9\nhigh 4\nmax 1\noom 0\noom_kill 0\n")
    #expect(await levels.next() == .warning)
    #expect(await levels.next() == .normal)
    try root.rewrite("sys/fs/cgroup/pet/memory.events", "low 9\nhigh 4\nmax 2\noom 0\noom_kill 0\n")
    #expect(await levels.next() == .critical)
    #expect(await levels.next() == .normal)
    try root.rewrite("sys/fs/cgroup/pet/memory.events", "low 9\nhigh 4\nmax 2\noom 1\noom_kill 1\n")
    #expect(await levels.next() == .critical)
  }

  @Test("several observers, a word from outside, and the end")
  func observers() async throws {
    var monitor: MemoryPressureMonitor? = try MemoryPressureMonitor(root: root.path, tick: .seconds(3600))
    let observers = try (0..<3).map { _ in
      let levels = try #require(monitor).levels
      return Task { await levels.reduce(into: [MemoryPressureLevel]()) { $0.append($1) } }
    }
    monitor?.report(.critical)
    monitor?.report(.normal)
    monitor = nil
    for observer in observers { #expect(await observer.value == [.critical, .normal]) }
  }

  @Test("stopped, its thread is gone")
  func stops() async throws {
    let monitors = try (0..<8).map { _ in try MemoryPressureMonitor(root: root.path, tick: .seconds(3600)) }
    for monitor in monitors { monitor.stop() }
    for monitor in monitors {
      #expect(await monitor.levels.reduce(0) { count, _ in count + 1 } == 0)
      try await eventually { !monitor.isRunning }
    }
  }

  @Test("where nothing says anything, no pressure is invented")
  func nothing() async throws {
    let empty = try TemporaryFolder()
    let monitor = try MemoryPressureMonitor(root: empty.path, tick: .milliseconds(1))
    var levels = monitor.levels.makeAsyncIterator()
    try await Task.sleep(for: .milliseconds(30))
    monitor.report(.warning)
    #expect(await levels.next() == .warning)
  }
}
