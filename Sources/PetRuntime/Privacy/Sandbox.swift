// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles
import Synchronization

/// What this process gave up for good, so that nothing in it can send away what is said to it.
///
/// Two steps, because the kernel binds files thread by thread and calls for all threads at once:
///
/// ```swift
/// Sandbox.confine(to: FileAccess.system + [FileAccess(home, .own)])  // before the first thread
/// ...                                                                // sockets are opened that listen
/// Sandbox.seal(.coming)                                              // before the first prompt is read
/// ```
///
/// What the kernel cannot do is told by ``current``, and by the state of ``PrivacyStatus``.
public enum Sandbox {
  /// Whom a sealed process may still speak to.
  public enum Peers: Sendable, Equatable {
    /// Those who come in by sockets that listen already, and whom it was connected with before.
    case coming
    /// Nobody: there are no sockets.
    case nobody
    /// The one service that a broker, a process of its own, connects it with; no sockets of its own.
    case broker

    package var value: ps_peers {
      switch self {
      case .coming: PS_PEERS_COMING
      case .nobody: PS_PEERS_NONE
      case .broker: PS_PEERS_BROKER
      }
    }
  }

  /// What holds now.
  package static var current: SandboxFacts { facts.withLock { $0 } }

  private static let facts: Mutex<SandboxFacts> = {
    var facts = SandboxFacts()
    // Not known before it runs: of what is, Swift 6.3.1 makes a constant in which every part is closed.
    facts.landlockVersion = Int(ps_landlock_version())
    return Mutex(facts)
  }()

  /// Closes what this process inherited, but the standard streams and `kept`. Before it opens any descriptor itself.
  /// - Parameter kept: numbers of descriptors, in any order.
  package static func closeInherited(except kept: Set<Int32> = []) {
    let ascending = kept.filter { $0 > STDERR_FILENO }.sorted()
    ps_close_all_but(ascending, ascending.count)
  }

  /// Notes a socket that this process connected with a program of this machine on purpose. One that is not noted fails the check.
  package static func expect(_ socket: Int32) {
    var status = stat()
    guard fstat(socket, &status) == 0 else { return }
    facts.withLock { _ = $0.expectedSockets.insert(UInt64(status.st_ino)) }
  }

  /// Notes whom a socket is connected with on purpose, by the name that it listens under: later connections with it are expected too.
  package static func expectPeer(of socket: Int32) {
    let name = OpenSockets.peerName(of: socket)
    facts.withLock { _ = $0.expectedPeers.insert(name) }
  }

  /// Turns core dumps and debuggers away, binds this thread and those that it starts to `files`, and has a child try what will be refused.
  /// - Parameter peers: what ``seal(_:)`` will be asked for.
  public static func confine(to files: [FileAccess], peers: Peers = .coming) {
    var facts = current
    facts.isAskedFor = true
    let failure = ps_harden()
    facts.memory = failure == 0 ? .closed : .open(reason(failure))
    // What was started before would not be bound.
    let threads = Folder.names(in: "/proc/self/task").count
    let rules = ps_rules_create()
    defer { if rules >= 0 { close(rules) } }
    for file in files where rules >= 0 { _ = ps_rules_allow(rules, file.path, file.flags) }
    facts.selfTest = SelfTest(peers, rules: rules)
    if threads > 1 {
      facts.files = .open("there were \(threads) threads already")
    } else if rules < 0 {
      facts.files = .open("Linux has Landlock from 5.13 on, where it is turned on: \(reason(-rules))")
    } else {
      let failure = ps_rules_enforce(rules)
      facts.files = failure == 0 ? .closed : .open(reason(failure))
      FileError.areFilesConfined.store(failure == 0, ordering: .relaxed)
    }
    Self.facts.withLock { $0 = facts }
  }

  /// Lays the filter of system calls on all threads, those to come included, and looks whether it holds. A broker that is not wanted ends.
  public static func seal(_ peers: Peers) {
    if peers != .broker { LocalService.endBroker() }
    var facts = current
    facts.isAskedFor = true
    facts.peers = peers
    let support = ps_filter_support()
    let failure = support == 0 ? ps_seal(peers.value) : support
    if failure != 0 {
      let thread = "thread \(-failure) has a filter of its own"
      facts.sockets = .open("the kernel takes no filter: \(failure < 0 ? thread : reason(failure))")
    } else {
      let error = ps_try_sockets_here()
      facts.sockets = error == EPERM ? .closed : .open("the filter was laid, and does not hold")
    }
    if SwapFacts.read().isPossible { facts.lockHeap() }
    Self.facts.withLock { $0 = facts }
  }

  /// Runs `body`, which may give parts of the heap back; what is locked of it is locked again, with what it has grown by since.
  static func withUnlockedHeap(_ body: () -> Void) {
    guard current.heapBytes > 0 else { return body() }
    ps_unlock_heap()
    body()
    facts.withLock { $0.lockHeap() }
  }

  /// - Throws: ``SandboxError`` where the sockets of this process are not closed.
  public static func requireSealed() throws(SandboxError) {
    let facts = current
    guard !facts.isEnforced else { return }
    throw SandboxError(reason: facts.weakness ?? "nothing was sealed")
  }

  /// - Throws: ``SandboxError`` where this process can touch other files than those that it was confined to.
  package static func requireFilesClosed() throws(SandboxError) {
    if case .open(let reason) = current.files { throw SandboxError(reason: "all files can be touched: \(reason)") }
  }

  package static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }
}

/// The kernel does not do what was asked to be required of it.
public struct SandboxError: Error, Equatable, CustomStringConvertible {
  public let reason: String

  package init(reason: String) { self.reason = reason }

  public var description: String {
    "this process cannot be sealed: \(reason); run it on Linux 5.13 or later where seccomp is allowed, or without --require-sealed"
  }
}
