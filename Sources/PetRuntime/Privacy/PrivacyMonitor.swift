// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Looks after the sockets of this process, for programs that cannot be sealed: while a model computes four times a second, at its begin and
/// its end, and whenever somebody asks. While nothing is computed it sleeps. In a sealed process there is nothing to look after.
///
/// A socket that reached another machine is not forgotten when it is closed: the status stays failed until ``forgetViolations()``.
/// One that is opened and closed between two looks is not seen; only the kernel's refusal is sure.
public final class PrivacyMonitor: Sendable {
  /// What is no violation though it reaches another machine: a program's own business, such as the clients of a web service.
  public typealias Exception = @Sendable (OpenSocket) -> Bool

  /// How often is looked while a model computes.
  package static let interval = Duration.milliseconds(250)
  /// Violations that are kept; later ones are counted only.
  package static let mostReports = 64

  private struct State {
    var known: Set<UInt64> = []
    var reports: [SocketReport] = []
    var computing: [String: Int] = [:]
    var state: PrivacyStatus.State?
    var watch: SocketWatch?
  }

  private let root: String
  private let isExempt: Exception
  private let sandbox: @Sendable () -> SandboxFacts
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())
  private let broadcast = Broadcast<PrivacyStatus>()

  /// - Parameter isExempt: asked of each socket that would fail the check.
  public convenience init(isExempt: @escaping Exception = { _ in false }) {
    self.init(isExempt: isExempt, sandbox: { Sandbox.current })
  }

  /// - Parameters:
  ///   - root: below which /proc is, "/" but for tests.
  ///   - isExempt: asked of each socket that would fail the check.
  ///   - sandbox: what this process gave up.
  ///   - now: seconds since 1970.
  package init(
    root: String = "/", isExempt: @escaping Exception = { _ in false },
    sandbox: @escaping @Sendable () -> SandboxFacts,
    now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) {
    self.root = root
    self.isExempt = isExempt
    self.sandbox = sandbox
    self.now = now
  }

  deinit { state.withLock { $0.watch }?.stop() }

  /// Looks, and says how it is.
  public func getPrivacyStatus() -> PrivacyStatus {
    let sockets = OpenSockets.read(root: root)
    return state.withLock { take(sockets, &$0) }
  }

  /// Looks, and says how certain it is and why.
  public func verifyPrivacyStatus() -> PrivacyVerification {
    PrivacyVerification(getPrivacyStatus(), sandbox(), swap: .read(root: root))
  }

  /// Sockets that reached, or may have reached, another machine, the oldest first.
  public var violations: [SocketReport] { state.withLock { $0.reports } }

  public func forgetViolations() { state.withLock { $0.reports = [] } }

  /// Each change from one state to another that a look found.
  public var changes: AsyncStream<PrivacyStatus> { broadcast.stream() }

  /// A model begins to compute: sockets that are seen until ``inferenceEnded(_:)`` are told with its name.
  package func inferenceBegan(_ model: String) {
    guard !sandbox().isEnforced else { return }
    state.withLock { state in
      state.computing[model, default: 0] += 1
      if state.watch == nil { state.watch = try? SocketWatch(Self.interval) { [weak self] in self?.lookBriefly() } }
      state.watch?.begin()
    }
    lookBriefly()
  }

  package func inferenceEnded(_ model: String) {
    guard state.withLock({ $0.computing[model] != nil }) else { return }
    lookBriefly()
    state.withLock { state in
      let left = (state.computing[model] ?? 1) - 1
      state.computing[model] = left > 0 ? left : nil
      state.watch?.end()
    }
  }

  /// Asks of each socket only where there is a socket that was not there before.
  private func lookBriefly() {
    guard let inodes = OpenSockets.inodes(root: root) else { return }
    guard state.withLock({ !inodes.isSubset(of: $0.known) }) else { return }
    let sockets = OpenSockets.read(root: root)
    state.withLock { _ = take(sockets, &$0) }
  }

  private func take(_ sockets: OpenSockets?, _ state: inout State) -> PrivacyStatus {
    let sandbox = sandbox()
    func isViolation(_ socket: OpenSocket) -> Bool { isFar(socket) || !sandbox.admits(socket) }
    let counted = sockets.map { OpenSockets($0.sockets.filter { !isViolation($0) || !isExempt($0) }) }
    for socket in counted?.sockets ?? [] where isViolation(socket) && !state.known.contains(socket.inode) {
      guard state.reports.count < Self.mostReports else { break }
      state.reports.append(SocketReport(socket, models: state.computing.keys.sorted(), time: now()))
    }
    if let sockets { state.known = Set(sockets.sockets.map(\.inode)) }
    let status = PrivacyStatus(counted, sandbox, violations: state.reports)
    if let before = state.state, before != status.state { broadcast.send(status) }
    state.state = status.state
    return status
  }

  private func isFar(_ socket: OpenSocket) -> Bool { socket.reach == .internet || socket.reach == .unknown }
}

/// A thread that looks again and again while somebody wants it to, and sleeps otherwise.
private final class SocketWatch: Sendable {
  private let pipe: Pipe
  private let wanted = Mutex(0)

  /// - Throws: `PipeError`, `ThreadError`.
  init(_ interval: Duration, look: @escaping @Sendable () -> Void) throws {
    pipe = try Pipe()
    let milliseconds = Int32(clamping: Int64(interval / .milliseconds(1)))
    try startThread { [self] in
      while true {
        var ready = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
        let isWanted = wanted.withLock { $0 > 0 }
        let count = poll(&ready, 1, isWanted ? milliseconds : -1)
        if count > 0 {
          var byte: UInt8 = 0
          while read(pipe.readEnd, &byte, 1) == 1 { if byte == 0 { return } }
        } else if count == 0, isWanted {
          look()
        }
      }
    }
  }

  func begin() {
    let isFirst = wanted.withLock {
      $0 += 1
      return $0 == 1
    }
    if isFirst { send(1) }
  }

  func end() { wanted.withLock { $0 = max(0, $0 - 1) } }
  func stop() { send(0) }

  private func send(_ value: UInt8) {
    var byte = value
    _ = write(pipe.writeEnd, &byte, 1)
  }
}
