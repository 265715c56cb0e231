// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime
import Synchronization

/// What systemd, or whoever starts the daemon in its way, gives it and wants to be told:
/// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html,
/// https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
package final class ServiceManager: Sendable {
  /// Listening sockets that were opened for this process.
  package let listeners: [Int32]
  /// How often it wants to hear that all is well; nil: never.
  package let watchdogInterval: Duration?
  /// Connected with whoever wants to be told; nil: nobody does. It stays open: later no other can be opened.
  private let notifySocket: Int32?
  private let isStopping = Mutex(false)

  /// Descriptors that the environment says are sockets which listen, sd_listen_fds(3).
  package static func listeners(environment: [String: String], process: Int32 = getpid()) -> [Int32] {
    guard environment["LISTEN_PID"].flatMap(Int32.init) == process else { return [] }
    // SD_LISTEN_FDS_START.
    return (0..<max(0, min(environment["LISTEN_FDS"].flatMap(Int32.init) ?? 0, 16))).map { 3 + $0 }
  }

  package init(environment: [String: String], process: Int32 = getpid()) {
    func isMeant(_ name: String) -> Bool { environment[name].flatMap(Int32.init) == process }
    listeners = Self.listeners(environment: environment, process: process)
    for descriptor in listeners { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let isWatched = environment["WATCHDOG_PID"] == nil || isMeant("WATCHDOG_PID")
    watchdogInterval = environment["WATCHDOG_USEC"].flatMap(Int64.init)
      // Twice as often as it must be.
      .flatMap { isWatched && $0 > 0 ? .microseconds($0 / 2) : nil }
    notifySocket = environment["NOTIFY_SOCKET"].flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? ServiceManager.connected(to: $0) : nil
    }
  }

  private static func connected(to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    // The abstract namespace, unix(7).
    if name.first == UInt8(ascii: "@") { name[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + socklen_t(name.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var limit = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    Sandbox.expect(descriptor)
    return descriptor
  }

  /// Tells that it can be asked.
  package func ready() { sendUnlessStopping("READY=1") }
  package func reloading() {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    sendUnlessStopping("RELOADING=1\nMONOTONIC_USEC=\(Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1000)")
  }
  package func stopping() {
    isStopping.withLock { isStopping in
      isStopping = true
      send("STOPPING=1")
    }
  }
  package func alive() { send("WATCHDOG=1") }
  /// - Parameter text: one line, for people.
  package func status(_ text: String) { send("STATUS=\(text)") }

  /// Who stops is not ready again, whatever ends meanwhile.
  private func sendUnlessStopping(_ message: String) {
    isStopping.withLock { isStopping in
      guard !isStopping else { return }
      send(message)
    }
  }

  /// Who does not listen, or has too much to read, is not told: a daemon does not stop for that.
  private func send(_ message: String) {
    guard let notifySocket else { return }
    let bytes = Array(message.utf8)
    _ = Glibc.send(notifySocket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
