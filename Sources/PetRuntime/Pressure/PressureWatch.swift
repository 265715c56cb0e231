// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The descriptors that one thread waits on, and what it makes of them.
final class PressureWatch: @unchecked Sendable {  // made before its thread starts, then used by that thread alone
  private var warning: StallTrigger?
  private var critical: StallTrigger?
  private var inotify: Int32 = -1
  private var eventsFile: String?
  private var events = GroupMemoryEvents("")
  private let polls: Bool
  private let root: String
  private var tracker = PressureTracker()
  private var stalls: (warning: Int32, critical: Int32) = (-1, -1)

  init(_ sources: [PressureSource], root: String) {
    self.root = root
    polls = sources.contains(.polling)
    for source in sources {
      switch source {
      case .stalls(let path):
        warning = StallTrigger(path: path, level: .warning)
        critical = StallTrigger(path: path, level: .critical)
        stalls = (warning?.descriptor ?? -1, critical?.descriptor ?? -1)
      case .events(let path):
        inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        if inotify >= 0, inotify_add_watch(inotify, path, UInt32(IN_MODIFY)) >= 0 {
          eventsFile = path
          events = Self.read(path)
        }
      case .polling: break
      }
    }
  }

  deinit { if inotify >= 0 { close(inotify) } }

  /// Waits for a sign of pressure, at most for a tick, and tells what came of it. Returns false when `stop` can be read.
  func wait(tick: Int32, stop: Int32, _ tell: (MemoryPressureLevel) -> Void) -> Bool {
    var ready = [
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stalls.warning, events: Int16(POLLPRI), revents: 0),
      pollfd(fd: stalls.critical, events: Int16(POLLPRI), revents: 0),
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
    ]
    // Nothing to look at from time to time, nothing to wait for the end of: the thread sleeps until something happens.
    let timeout = polls || tracker.level > .normal ? tick : -1
    let count = poll(&ready, nfds_t(ready.count), timeout)
    if count < 0 { return errno == EINTR }
    if ready[0].revents != 0 { return false }
    if count == 0 {
      let left = polls ? MemoryRoom.read(root: root)?.level ?? .normal : .normal
      if let level = tracker.observe(tick: left) { tell(level) }
      return true
    }
    let hasStalled = (warning: Self.fired(ready[1]), critical: Self.fired(ready[2]))
    let counts = (hasStalled.warning || hasStalled.critical) && MemoryRoom.mayBeShort(root: root)
    let seen = [
      counts && hasStalled.warning ? .warning : nil, counts && hasStalled.critical ? .critical : nil,
      ready[3].revents != 0 ? groupEvent() : nil,
    ].compactMap { (level: MemoryPressureLevel?) in level }
    // A group that was removed has an error for ever.
    if Self.failed(ready[1]) { stalls.warning = -1 }
    if Self.failed(ready[2]) { stalls.critical = -1 }
    if let worst = seen.max(), let level = tracker.observe(event: worst) { tell(level) }
    return true
  }

  private static func fired(_ ready: pollfd) -> Bool {
    ready.revents & Int16(POLLPRI) != 0 && !failed(ready)
  }

  private static func failed(_ ready: pollfd) -> Bool {
    ready.revents & Int16(POLLERR | POLLNVAL) != 0
  }

  private func groupEvent() -> MemoryPressureLevel? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while Glibc.read(inotify, &buffer, buffer.count) > 0 {}
    guard let eventsFile else { return nil }
    let now = Self.read(eventsFile)
    defer { events = now }
    return now.level(since: events)
  }

  private static func read(_ path: String) -> GroupMemoryEvents {
    GroupMemoryEvents(FactFiles(root: "/").text(String(path.drop { $0 == "/" })) ?? "")
  }
}
