// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles

/// What the kernel does when it is tried: each attempt is made by two processes of its own, one as any program is and one sealed.
package struct SandboxProof: Sendable, Equatable {
  package enum Outcome: Sendable, Equatable {
    case permitted
    /// With the number of the error.
    case refused(Int32)
    /// With the number of the signal; a core was dumped.
    case ended(Int32, dumped: Bool)
    /// It could not be tried, with the number of the error.
    case unknown(Int32)

    /// For people.
    package var description: String {
      switch self {
      case .permitted: "let"
      case .refused(let error): "refused: \(Sandbox.reason(error))"
      case .ended(let signal, let dumped): "ended by signal \(signal)\(dumped ? ", core dumped" : ", no core")"
      case .unknown(let error): "not tried: \(Sandbox.reason(error))"
      }
    }
  }

  package enum Verdict: String, Sendable {
    /// Refused because of the seal; or let go on, where that is meant.
    case holds
    /// What must not be was let, or what must go on was refused.
    case broken
    /// This kernel cannot, or what was tried is not there without the seal either.
    case unavailable
  }

  package struct Row: Sendable, Equatable {
    package let attempt: SandboxAttempt
    package let open: Outcome
    package let sealed: Outcome
    package let verdict: Verdict
  }

  package let rows: [Row]
  /// 0: none.
  package let landlockVersion: Int
  package let hasFilters: Bool

  package var isBroken: Bool { rows.contains { $0.verdict == .broken } }

  /// Makes all attempts, which takes some tens of milliseconds. Nothing is sent to anybody: sockets that could be opened are connected
  /// with this machine at most.
  /// - Parameter folder: where files may be made for it.
  /// - Throws: `FileError`.
  package static func make(in folder: String, peers: Sandbox.Peers = .coming) throws(FileError) -> SandboxProof {
    let place = try ProofPlace(below: folder)
    let rules = ps_rules_create()
    defer { if rules >= 0 { close(rules) } }
    if rules >= 0 {
      for file in FileAccess.system + [FileAccess(place.own, .own)] { _ = ps_rules_allow(rules, file.path, file.flags) }
    }
    let facts = Facts(
      hasFilters: ps_filter_support() == 0, landlockVersion: Int(ps_landlock_version()), peers: peers)
    let rows = SandboxAttempt.all.map { attempt in
      let open = place.attempt(attempt.number, isSealed: false, peers, rules: -1)
      let sealed = place.attempt(attempt.number, isSealed: true, peers, rules: rules)
      return Row(attempt: attempt, open: open, sealed: sealed, verdict: verdict(attempt, open, sealed, facts))
    }
    return SandboxProof(rows: rows, landlockVersion: facts.landlockVersion, hasFilters: facts.hasFilters)
  }

  package struct Facts {
    package var hasFilters: Bool
    package var landlockVersion: Int
    package var peers: Sandbox.Peers

    package init(hasFilters: Bool, landlockVersion: Int, peers: Sandbox.Peers) {
      self.hasFilters = hasFilters
      self.landlockVersion = landlockVersion
      self.peers = peers
    }
  }

  /// Judges by what the kernel can do; what it cannot is no proof of anything.
  package static func verdict(_ attempt: SandboxAttempt, _ open: Outcome, _ sealed: Outcome, _ facts: Facts) -> Verdict
  {
    // It could not be sealed at all.
    if case .unknown = sealed { return .unavailable }
    let isGivenUp = attempt.number == PS_TRY_UNIX_SOCKET && facts.peers != .coming
    if attempt.area == .own, !isGivenUp {
      return sealed == .permitted ? .holds : open == .permitted ? .broken : .unavailable
    }
    if attempt.number == PS_TRY_CORE {
      guard case .ended(_, let dumped) = sealed else { return .broken }
      return dumped ? .broken : .holds
    }
    switch sealed {
    // It is told as if the call were not there, so that libraries take the older one.
    case .refused(ENOSYS) where attempt.number == PS_TRY_CLONE3: return facts.hasFilters ? .holds : .unavailable
    // It was closed at the start.
    case .refused(EBADF) where attempt.number == PS_TRY_INHERITED: return .holds
    case .refused(EPERM), .refused(EACCES): return .holds
    case .refused: return .unavailable
    case .ended: return attempt.number == PS_TRY_INT80 ? .holds : .unavailable
    case .unknown: return .unavailable
    case .permitted: return isExpected(attempt, facts) ? .broken : .unavailable
    }
  }

  /// Whether this kernel has what refuses it.
  private static func isExpected(_ attempt: SandboxAttempt, _ facts: Facts) -> Bool {
    switch attempt.number {
    case PS_TRY_KILL: facts.hasFilters || facts.landlockVersion >= 6
    case PS_TRY_TRUNCATE: facts.hasFilters || facts.landlockVersion >= 3
    case PS_TRY_RIGHTS, PS_TRY_RIGHTS_AT, PS_TRY_RIGHTS_AT2, PS_TRY_OWNERSHIP, PS_TRY_ATTRIBUTE, PS_TRY_DATES,
      PS_TRY_SET_USER, PS_TRY_WATCH, PS_TRY_WATCH_ALL, PS_TRY_HANDLE:
      facts.hasFilters
    case PS_TRY_INHERITED: true
    case PS_TRY_PROC_ENVIRON, PS_TRY_PROC_MEM: facts.landlockVersion >= 1
    default: attempt.area == .files ? facts.landlockVersion >= 1 : facts.hasFilters
    }
  }
}

/// What attempts reach for: two folders, one outside, and two sockets that somebody else listens on.
private struct ProofPlace: ~Copyable {
  let own: String
  private let root: String
  private let outside: String
  private let sockets: [Int32]
  private let bystander: pid_t

  init(below folder: String) throws(FileError) {
    root = "\(folder)/pet-privacy.\(UInt32.random(in: 0 ... .max))"
    (own, outside) = (root + "/own", root + "/outside")
    try Folder.create(own, mode: 0o700)
    try Folder.create(outside, mode: 0o700)
    var opened: [Int32] = []
    for (name, type) in [("stream", SOCK_STREAM), ("datagram", SOCK_DGRAM)] {
      let descriptor = Glibc.socket(AF_UNIX, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { continue }
      opened.append(descriptor)
      var address = sockaddr_un(unixPath: "\(outside)/\(name)")
      withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if type == SOCK_STREAM { listen(descriptor, 64) }
    }
    sockets = opened
    bystander = ps_bystander_start()
  }

  deinit {
    ps_bystander_end(bystander)
    for descriptor in sockets { close(descriptor) }
    Folder.remove(root)
  }

  func attempt(_ number: ps_try, isSealed: Bool, _ peers: Sandbox.Peers, rules: Int32) -> SandboxProof.Outcome {
    let file = outside + "/file"
    if let made = try? OpenFile(file, flags: O_WRONLY | O_CREAT, mode: 0o600) { _ = consume made }
    return [file, outside, own, outside + "/stream", outside + "/datagram"].withCStrings { paths in
      var targets = ps_targets(
        outside_file: paths[0], outside_folder: paths[1], own_folder: paths[2], stream_socket: paths[3],
        datagram_socket: paths[4], other: bystander, inherited: -1)
      var outcome = ps_outcome()
      let failure = ps_attempt(number, &targets, isSealed, peers.value, rules, &outcome)
      if failure != 0 { return .unknown(failure < 0 ? EBUSY : failure) }
      if outcome.signal != 0 { return .ended(outcome.signal & 0x7f, dumped: outcome.signal & 0x80 != 0) }
      return outcome.error == 0 ? .permitted : .refused(outcome.error)
    }
  }
}

extension sockaddr_un {
  /// A path that is too long is cut off.
  fileprivate init(unixPath: String) {
    self.init()
    sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: unixPath.utf8.prefix($0.count - 1)) }
  }
}

extension Array where Element == String {
  /// All of them as strings of C, which are there during the call.
  fileprivate func withCStrings<Value>(_ body: ([UnsafePointer<CChar>]) -> Value) -> Value {
    let copies = map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies.compactMap { $0.map { UnsafePointer($0) } })
  }
}
