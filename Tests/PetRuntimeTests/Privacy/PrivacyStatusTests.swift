// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Privacy: what is said of it")
struct PrivacyStatusTests {
  static func sealed(_ selfTest: SelfTest? = SelfTest(passing: 19)) -> SandboxFacts {
    var facts = SandboxFacts()
    (facts.sockets, facts.files, facts.memory) = (.closed, .closed, .closed)
    facts.isAskedFor = true
    facts.selfTest = selfTest
    return facts
  }

  private static let near = OpenSockets([OpenSocket(inode: 1, reach: .unix), OpenSocket(inode: 2, reach: .loopback)])
  private static let far = OpenSockets([OpenSocket(inode: 3, reach: .internet)])
  private static let untold = OpenSockets([OpenSocket(inode: 4, reach: .unknown)])

  @Test("enforced only where the kernel refuses, a child has tried it, and nothing was open before")
  func states() {
    let report = SocketReport(OpenSocket(inode: 9, reach: .internet), models: ["pose"], time: 0)
    var unproved = Self.sealed(nil)
    #expect(PrivacyStatus(Self.near, Self.sealed()).state == .enforced)
    #expect(PrivacyStatus(Self.near, unproved).state == .observed)
    unproved.selfTest = SelfTest(permitting: [tcp])
    #expect(PrivacyStatus(Self.near, unproved).state == .observed)
    #expect(PrivacyStatus(Self.near, unproved).detail.contains("a sealed child was let: tcp"))
    var open = Self.sealed()
    open.sockets = .open("the kernel takes no filter")
    #expect(PrivacyStatus(Self.near, open).state == .observed)
    #expect(PrivacyStatus(Self.near, open).detail.contains("the kernel takes no filter"))
    #expect(PrivacyStatus(Self.near).state == .observed)
    for sandbox in [Self.sealed(), SandboxFacts()] {
      for sockets in [Self.far, Self.untold, nil] {
        #expect(PrivacyStatus(sockets, sandbox).state == .failed)
      }
      #expect(PrivacyStatus(Self.near, sandbox, violations: [report]).state == .failed)
    }
  }

  @Test(
    "a connection with a program of this machine fails the check, unless it was expected, came in or is a standard stream"
  )
  func strangers() {
    var log = OpenSocket(inode: 5, reach: .unix)
    (log.kind, log.remote, log.isOutgoing) = ("unix", "/dev/log", true)
    func state(_ socket: OpenSocket, _ sandbox: SandboxFacts) -> PrivacyStatus.State {
      PrivacyStatus(OpenSockets([socket]), sandbox).state
    }
    #expect(state(log, Self.sealed()) == .failed)
    #expect(PrivacyStatus(OpenSockets([log]), Self.sealed()).detail.contains("/dev/log"))
    // A program that gave nothing up has business of its own.
    #expect(state(log, SandboxFacts()) == .observed)
    var sandbox = Self.sealed()
    sandbox.expectedSockets = [5]
    #expect(state(log, sandbox) == .enforced)
    sandbox.expectedSockets = []
    // Whom it connects with on purpose, and nobody else, sealed in whatever way.
    sandbox.peers = .broker
    #expect(state(log, sandbox) == .failed)
    sandbox.expectedPeers = ["/home/ada/petd.sock"]
    #expect(state(log, sandbox) == .failed)
    log.remote = "/home/ada/petd.sock"
    #expect(state(log, sandbox) == .enforced)
    #expect(PrivacyStatus(OpenSockets([log]), sandbox).detail.contains("any but connections with petd"))
    log.reach = .loopback
    #expect(state(log, sandbox) == .failed)
    log.isStandardStream = true
    #expect(state(log, Self.sealed()) == .enforced)
    (log.isStandardStream, log.isOutgoing, log.isIncoming) = (false, false, true)
    #expect(state(log, Self.sealed()) == .enforced)
  }

  @Test("the badge has two texts, and the good one only for what is known")
  func badge() {
    #expect(PrivacyStatus(Self.near, Self.sealed()).badge == "🔒 Processing Locally")
    #expect(PrivacyStatus(Self.near).badge == "🔒 Processing Locally")
    #expect(PrivacyStatus(nil, Self.sealed()).badge == "⚠️ Privacy Check Failed")
    #expect(PrivacyStatus(Self.far).badge == "⚠️ Privacy Check Failed")
  }

  @Test("compliance: full where the kernel keeps sockets, files and memory; none where something got out")
  func compliance() {
    func level(_ sockets: OpenSockets?, _ sandbox: SandboxFacts) -> PrivacyVerification.ComplianceLevel {
      PrivacyVerification(PrivacyStatus(sockets, sandbox), sandbox, swap: SwapFacts(total: 0)).complianceLevel
    }
    #expect(level(Self.near, Self.sealed()) == .full)
    #expect(level(Self.near, SandboxFacts()) == .partial && level(Self.far, Self.sealed()) == .none)
    #expect(level(nil, Self.sealed()) == .none)
    for path in [\SandboxFacts.files, \.memory, \.sockets] {
      var facts = Self.sealed()
      facts[keyPath: path] = .open("no")
      #expect(level(Self.near, facts) == .partial)
      let evidence = PrivacyVerification(PrivacyStatus(Self.near, facts), facts, swap: SwapFacts(total: 0)).evidence
      #expect(evidence.count { !$0.holds } == 1)
    }
  }

  @Test("swap: certain only where there is none")
  func swap() throws {
    func holds(_ swap: SwapFacts) -> Bool? {
      PrivacyVerification(PrivacyStatus(Self.near), SandboxFacts(), swap: swap).evidence.last?.holds
    }
    #expect(holds(SwapFacts(total: 0)) == true && holds(SwapFacts(total: 1 << 30, limit: 0)) == true)
    #expect(holds(SwapFacts(total: 1 << 30)) == false && holds(SwapFacts(total: 1 << 30, limit: 5)) == false)
    let root = try TemporaryFolder()
    try root.write("proc/meminfo", "MemTotal: 8 kB\nSwapTotal: 4 kB\n")
    try root.write("proc/self/cgroup", "0::/a\n")
    try root.write("sys/fs/cgroup/a/memory.swap.max", "max\n")
    #expect(SwapFacts.read(root: root.path) == SwapFacts(total: 4096))
    try root.write("sys/fs/cgroup/a/memory.swap.max", "0\n")
    #expect(SwapFacts.read(root: root.path) == SwapFacts(total: 4096, limit: 0))
  }
}

private let tcp = SandboxAttempt.all[0]
