// SPDX-License-Identifier: Apache-2.0
import Glibc
import PlantedSocket
import Synchronization
import Testing

import PetRuntime

/// Other tests of this process open sockets too: each monitor here looks at its own one only.
@Suite("Privacy monitor")
struct PrivacyMonitorTests {
  private final class Own: Sendable {
    private let inode = Mutex<UInt64>(0)
    func set(_ descriptor: Int32) { inode.withLock { $0 = PlantedSocket.inode(of: descriptor) } }
    func isOther(_ socket: OpenSocket) -> Bool { inode.withLock { $0 != socket.inode } }
  }

  private static func state(_ sandbox: SandboxFacts) -> PrivacyStatus.State {
    sandbox.isEnforced ? .enforced : .observed
  }

  /// Benchmarks/monitors measures how soon: four looks a second.
  @Test(
    "a socket of any kind that is opened while a model computes turns the badge, and is told with the model",
    arguments: PlantedSocket.allCases)
  func whileComputing(kind: PlantedSocket) async throws {
    #expect(PrivacyMonitor.interval <= .milliseconds(500))
    let own = Own()
    let monitor = PrivacyMonitor(isExempt: own.isOther)
    #expect(monitor.getPrivacyStatus().state == .observed)
    var changes = monitor.changes.makeAsyncIterator()
    monitor.inferenceBegan("pose")
    defer { monitor.inferenceEnded("pose") }
    guard let descriptor = kind.open() else { return }
    own.set(descriptor)
    // Nobody asks: the monitor looks by itself.
    let seen = await changes.next()
    #expect(seen?.state == .failed && seen?.badge == "⚠️ Privacy Check Failed")
    #expect(monitor.violations.map(\.models) == [["pose"]], "\(monitor.violations)")
    close(descriptor)
    // What was seen is not undone by closing it.
    #expect(
      monitor.getPrivacyStatus().state == .failed && monitor.getPrivacyStatus().detail.contains("while pose computed"))
    monitor.forgetViolations()
    #expect(monitor.getPrivacyStatus().state == .observed)
  }

  @Test("and turns it for who asks while nothing is computed, sealed or not", arguments: PlantedSocket.allCases)
  func whileResting(kind: PlantedSocket) throws {
    for sandbox in [SandboxFacts(), PrivacyStatusTests.sealed()] {
      let own = Own()
      let monitor = PrivacyMonitor(isExempt: own.isOther, sandbox: { sandbox })
      #expect(monitor.getPrivacyStatus().state == Self.state(sandbox))
      guard let descriptor = kind.open() else { return }
      own.set(descriptor)
      let verification = monitor.verifyPrivacyStatus()
      close(descriptor)
      #expect(verification.complianceLevel == .none && !verification.isPassing)
      #expect(verification.status.badge == "⚠️ Privacy Check Failed" && monitor.violations.first?.models == [])
    }
  }

  @Test("one that is open when a model ends is seen then, however short the inference")
  func short() throws {
    let own = Own()
    let monitor = PrivacyMonitor(isExempt: own.isOther)
    monitor.inferenceBegan("pose")
    let descriptor = try #require(PlantedSocket.tcpListener.open())
    own.set(descriptor)
    monitor.inferenceEnded("pose")
    close(descriptor)
    #expect(monitor.violations.map(\.models) == [["pose"]])
  }

  @Test("Unix and loopback sockets are nobody's business, and a program may have business of its own")
  func exempt() throws {
    let own = Own()
    let monitor = PrivacyMonitor(isExempt: own.isOther)
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    own.set(ends[0])
    #expect(monitor.getPrivacyStatus().state == .observed)
    let server = PrivacyMonitor(isExempt: { _ in true })
    let descriptor = try #require(PlantedSocket.tcpListener.open())
    defer { close(descriptor) }
    #expect(server.getPrivacyStatus().state == .observed)
  }

  @Test("where it is sealed there is nothing to look after: no thread looks")
  func sealed() {
    let looks = Mutex(0)
    let monitor = PrivacyMonitor(
      isExempt: { _ in
        looks.withLock { $0 += 1 }
        return true
      }, sandbox: { PrivacyStatusTests.sealed() })
    for _ in 0..<100 {
      monitor.inferenceBegan("pose")
      monitor.inferenceEnded("pose")
    }
    #expect(looks.withLock { $0 } == 0 && monitor.violations.isEmpty)
  }

  @Test("reports are bounded")
  func bounded() throws {
    let own = Mutex<Set<UInt64>>([])
    let monitor = PrivacyMonitor(isExempt: { socket in own.withLock { !$0.contains(socket.inode) } })
    let sockets = (0..<100).compactMap { _ in PlantedSocket.tcpUnbound.open() }
    defer { for socket in sockets { close(socket) } }
    own.withLock { $0 = Set(sockets.map(PlantedSocket.inode)) }
    #expect(monitor.getPrivacyStatus().state == .failed && monitor.violations.count == PrivacyMonitor.mostReports)
  }
}
