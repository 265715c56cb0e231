// SPDX-License-Identifier: Apache-2.0
import CSandbox
import Glibc
import PetFiles
import Testing

import PetRuntime

@Suite("What the kernel does with a sealed process", .serialized)
struct SandboxProofTests {
  @Test("every attempt is refused, and what must go on goes on; where the kernel cannot, that is said")
  func proof() throws {
    let folder = try TemporaryFolder()
    for peers in [Sandbox.Peers.coming, .broker] {
      let proof = try SandboxProof.make(in: folder.path, peers: peers)
      #expect(proof.rows.map(\.attempt) == SandboxAttempt.all)
      #expect(!proof.isBroken, "\(proof.rows.filter { $0.verdict == .broken })")
      guard proof.hasFilters else {
        #expect(proof.rows.allSatisfy { $0.attempt.area != .network || $0.verdict == .unavailable })
        continue
      }
      let network = proof.rows.filter { $0.attempt.area == .network }
      let reach = network.filter { !$0.attempt.name.hasPrefix("unix") }
      #expect(reach.allSatisfy { $0.verdict == .holds && $0.sealed != .permitted }, "\(reach)")
      // Nor may other programs of this machine be spoken to, whoever connects for it.
      let others = network.filter { $0.attempt.name.hasPrefix("unix") }
      #expect(others.count == 4 && others.allSatisfy { $0.verdict == .holds && $0.open == .permitted }, "\(others)")
      if proof.landlockVersion > 0 {
        let files = proof.rows.filter { $0.attempt.area == .files }
        // Not every file system has attributes, and not every user may watch all of one.
        let everywhere = files.filter { !["attribute", "watch-all", "rights-at2"].contains($0.attempt.name) }
        #expect(files.allSatisfy { $0.verdict == .holds }, "\(files)")
        #expect(everywhere.allSatisfy { $0.open == .permitted }, "\(everywhere)")
      }
    }
    #expect(Folder.names(in: folder.path).isEmpty)
  }

  @Test("the same attempts without the seal would not pass: what this machine lets is called broken")
  func counterproof() throws {
    let folder = try TemporaryFolder()
    let proof = try SandboxProof.make(in: folder.path)
    let facts = SandboxProof.Facts(hasFilters: true, landlockVersion: 7, peers: .coming)
    let permitted = proof.rows.filter { $0.open == .permitted && $0.attempt.area != .own }
    #expect(permitted.count >= 10)
    for row in permitted {
      #expect(SandboxProof.verdict(row.attempt, row.open, row.open, facts) == .broken, "\(row.attempt.name)")
    }
  }

  @Test("a verdict follows from what the kernel can do")
  func verdicts() throws {
    func verdict(
      _ name: String, _ sealed: SandboxProof.Outcome, filters: Bool = true, landlock: Int = 7,
      _ peers: Sandbox.Peers = .coming
    ) throws -> SandboxProof.Verdict {
      let attempt = try #require(SandboxAttempt.all.first { $0.name == name })
      return SandboxProof.verdict(
        attempt, .permitted, sealed, .init(hasFilters: filters, landlockVersion: landlock, peers: peers))
    }
    #expect(try verdict("tcp", .refused(EPERM)) == .holds && verdict("tcp", .permitted) == .broken)
    #expect(try verdict("tcp", .permitted, filters: false) == .unavailable)
    #expect(try verdict("tcp", .refused(EAFNOSUPPORT)) == .unavailable)
    #expect(try verdict("kill", .permitted, landlock: 5) == .broken)
    #expect(try verdict("kill", .permitted, filters: false, landlock: 5) == .unavailable)
    #expect(try verdict("rights", .permitted, landlock: 0) == .broken)
    #expect(
      try verdict("inherited", .refused(EBADF)) == .holds && verdict("inherited", .permitted, filters: false) == .broken
    )
    #expect(try verdict("read", .permitted, landlock: 0) == .unavailable && verdict("read", .refused(EACCES)) == .holds)
    #expect(
      try verdict("truncate", .permitted, landlock: 2) == .broken
        && verdict("truncate", .permitted, filters: false, landlock: 2) == .unavailable)
    #expect(
      try verdict("unix-connect", .permitted, .broker) == .broken && verdict("unix-connect", .permitted) == .broken)
    #expect(
      try verdict("unix-socket", .refused(EPERM), .broker) == .holds
        && verdict("unix-socket", .permitted, .nobody) == .broken && verdict("unix-socket", .refused(EPERM)) == .broken)
    #expect(
      try verdict("clone3", .refused(ENOSYS)) == .holds
        && verdict("clone3", .refused(ENOSYS), filters: false) == .unavailable)
    #expect(
      try verdict("core", .ended(6, dumped: true)) == .broken && verdict("core", .ended(6, dumped: false)) == .holds)
    #expect(try verdict("thread", .refused(EPERM)) == .broken && verdict("thread", .permitted) == .holds)
    #expect(try verdict("tcp", .ended(SIGSEGV, dumped: false)) == .unavailable)
    #expect(try verdict("tcp", .unknown(EIO)) == .unavailable)
  }

  @Test("the filter by itself keeps files from being cut short by their paths", .enabled(if: ps_filter_support() == 0))
  func truncation() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", "text")
    for peers in [PS_PEERS_COMING, PS_PEERS_BROKER] {
      var outcome = ps_outcome()
      let failure = path.withCString { path in
        var targets = ps_targets()
        targets.outside_file = path
        return ps_attempt(PS_TRY_TRUNCATE, &targets, true, peers, -1, &outcome)
      }
      #expect(failure == 0 && outcome.error == EPERM && outcome.signal == 0)
    }
    #expect(Folder.bytes(below: folder.path) == 4)
  }

  @Test(
    "a device may be set up by whom it may be written by: a terminal, so that it hides what is typed",
    .enabled(if: ps_landlock_version() > 0), arguments: [PS_FILE_READ, PS_FILE_READ | PS_FILE_WRITE])
  func devices(access: Int) throws {
    // Rules bind a thread for good: one that ends then. What is no terminal says so where it may be asked.
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        let allowed = Int(bitPattern: argument)
        let rules = ps_rules_create()
        defer { close(rules) }
        guard ps_rules_allow(rules, "/dev/null", Int32(allowed)) == 0, ps_rules_enforce(rules) == 0 else { return nil }
        let device = open("/dev/null", allowed & PS_FILE_WRITE != 0 ? O_RDWR : O_RDONLY)
        defer { close(device) }
        var settings = termios()
        return tcgetattr(device, &settings) == 0 ? nil : UnsafeMutableRawPointer(bitPattern: Int(errno))
      }, UnsafeMutableRawPointer(bitPattern: access))
    try #require(failure == 0)
    var error: UnsafeMutableRawPointer?
    pthread_join(thread, &error)
    let mayAsk = access & PS_FILE_WRITE != 0 || ps_landlock_version() < 5
    #expect(Int32(Int(bitPattern: error)) == (mayAsk ? ENOTTY : EACCES))
  }

  @Test("a filter is as short as a filter may be, and there is one for each kind of peers")
  func length() {
    guard ps_filter_support() == 0 else { return }
    for peers in [PS_PEERS_COMING, PS_PEERS_BROKER, PS_PEERS_NONE] {
      #expect((200..<512).contains(ps_filter_length(peers)))
    }
    #expect(ps_filter_length(PS_PEERS_COMING) > ps_filter_length(PS_PEERS_BROKER))
    #expect(ps_filter_length(PS_PEERS_BROKER) > ps_filter_length(PS_PEERS_NONE))
  }

  @Test(
    "without peers, or with a broker alone, there is no socket of its own at all, not even a pair",
    .enabled(if: ps_filter_support() == 0), arguments: [PS_PEERS_NONE.rawValue, PS_PEERS_BROKER.rawValue])
  func nobody(peers: UInt32) throws {
    for (what, expected) in [(PS_TRY_UNIX_SOCKET, EPERM), (PS_TRY_THREAD, 0)] {
      var (outcome, targets) = (ps_outcome(), ps_targets())
      #expect(ps_attempt(what, &targets, true, ps_peers(rawValue: peers), -1, &outcome) == 0)
      #expect(outcome.error == expected && outcome.signal == 0)
    }
  }

  @Test("this process, which is not sealed, says so")
  func notHere() {
    #expect(!Sandbox.current.isEnforced && Sandbox.current.sockets == .open("it was not asked for"))
    #expect(throws: SandboxError.self) { try Sandbox.requireSealed() }
  }
}
