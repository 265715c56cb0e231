// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc

/// What this process gave up, as the kernel confirmed it.
package struct SandboxFacts: Sendable, Equatable {
  package enum Part: Sendable, Equatable {
    case closed
    /// With the reason.
    case open(String)

    package var isClosed: Bool { self == .closed }
  }

  /// Whether anything was to be given up at all.
  package var isAskedFor = false
  /// Whom it may speak to since it was sealed.
  package var peers = Sandbox.Peers.coming
  /// Inodes of sockets that it connected on purpose.
  package var expectedSockets: Set<UInt64> = []
  /// Names of Unix sockets of others that it connects with on purpose.
  package var expectedPeers: Set<String> = []
  /// No socket but Unix ones can be opened, no io_uring, no other program started, no other process read.
  package var sockets = Part.open("it was not asked for")
  /// Only certain files can be touched.
  package var files = Part.open("it was not asked for")
  /// No core is dumped, and no process of the same person can read this one's memory.
  package var memory = Part.open("it was not asked for")
  /// What a child found that was sealed like this process and tried.
  package var selfTest: SelfTest?
  /// 0: the kernel has none.
  package var landlockVersion = 0
  /// Bytes of the heap, and of that those that are never swapped.
  package var heapBytes = 0
  package var lockedHeapBytes = 0

  package init() {}

  /// The kernel refuses, and a child that tried found that it does.
  package var isEnforced: Bool { sockets.isClosed && selfTest?.isPassed == true }

  /// Whether a socket that reaches no other machine is in its place: it was connected on purpose, came in by a socket that listens, or was
  /// given as a standard stream. A process that gave nothing up may have others.
  package func admits(_ socket: OpenSocket) -> Bool {
    guard isAskedFor, socket.isOutgoing, !socket.isStandardStream else { return true }
    return expectedSockets.contains(socket.inode) || socket.reach == .unix && expectedPeers.contains(socket.remote)
  }

  /// Why it is not; nil where it is.
  package var weakness: String? {
    if case .open(let reason) = sockets { return reason }
    guard let selfTest else { return "no child has tried it" }
    return selfTest.isPassed ? nil : selfTest.finding
  }

  mutating func lockHeap() {
    var size = 0
    lockedHeapBytes = ps_lock_heap(&size)
    heapBytes = size
  }
}

/// What a child got that was sealed and tried what harms nothing.
package struct SelfTest: Sendable, Equatable {
  /// How many attempts there were.
  package let attempts: Int
  /// Those that were let.
  package let permitted: [SandboxAttempt]
  /// Why there were none.
  package let failure: String?

  /// - Parameter rules: of files; below 0: none.
  package init(_ peers: Sandbox.Peers, rules: Int32) {
    var tried = [ps_try](repeating: PS_TRY_COUNT, count: Int(PS_TRY_COUNT.rawValue))
    var errors = [Int32](repeating: 0, count: tried.count)
    let count = ps_self_test(peers.value, rules, &tried, &errors)
    attempts = max(0, Int(count))
    failure = count < 0 ? "the self-test could not be made: \(Sandbox.reason(-count))" : nil
    permitted = zip(tried, errors).prefix(attempts).filter { $0.1 != EPERM }.compactMap { SandboxAttempt($0.0) }
  }

  package init(passing attempts: Int = 0, permitting permitted: [SandboxAttempt] = []) {
    self.attempts = attempts + permitted.count
    self.permitted = permitted
    failure = nil
  }

  package var isPassed: Bool { failure == nil && attempts > 0 && permitted.isEmpty }

  var finding: String {
    failure ?? "a sealed child was let: \(permitted.map(\.name).joined(separator: ", "))"
  }
}
