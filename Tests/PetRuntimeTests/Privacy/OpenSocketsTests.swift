// SPDX-License-Identifier: Apache-2.0
import Glibc
import PlantedSocket
import Testing

import PetRuntime

@Suite("Open sockets, of real ones")
struct OpenSocketsTests {
  /// Other tests have theirs.
  private func look(_ descriptor: Int32) throws -> OpenSocket? {
    let inode = PlantedSocket.inode(of: descriptor)
    return try all().first { $0.inode == inode }
  }

  private func all() throws -> [OpenSocket] { try #require(OpenSockets.read()).sockets }

  private func bound(to address: UInt32, _ type: __socket_type, listens: Bool) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = address.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(result == 0)
    if listens { try #require(listen(descriptor, 4) == 0) }
    return descriptor
  }

  @Test("nothing is told where there is no such file system")
  func absent() throws {
    #expect(OpenSockets.read(root: try TemporaryFolder().path) == nil)
    #expect(PrivacyStatus(nil).state == .failed && PrivacyStatus(nil).badge == "⚠️ Privacy Check Failed")
  }

  @Test("what may not be open is far, or of unknown reach; its kind is told", arguments: PlantedSocket.allCases)
  func planted(kind: PlantedSocket) throws {
    guard let descriptor = kind.open() else { return }
    let found = try #require(try look(descriptor))
    #expect(found.reach == .internet || found.reach == .unknown, "\(found)")
    #expect(!found.kind.isEmpty && found.isListening == kind.rawValue.hasSuffix("Listener"))
    if kind == .udpConnected { #expect(found.remote == "192.0.2.1:9" && found.reach == .internet) }
    close(descriptor)
    // Its number may be another test's by now.
    #expect(try !all().contains { $0.inode == found.inode })
  }

  @Test("loopback and Unix sockets are near, both ends of a connection")
  func near() throws {
    let listener = try bound(to: 0x7F00_0001, SOCK_STREAM, listens: true)
    let door = try #require(try look(listener))
    #expect(door.reach == .loopback && door.isListening && door.local.hasPrefix("127.0.0.1:") && door.kind == "tcp")
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try look(client)?.reach == .unknown)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(listener, $0, &size) == 0 ? connect(client, $0, size) : -1
      }
    }
    try #require(result == 0)
    let server = accept(listener, nil, nil)
    let ends = (try look(client), try look(server))
    #expect(ends.0?.reach == .loopback && ends.0?.isIncoming == false)
    #expect(ends.1?.reach == .loopback && ends.1?.isIncoming == true)
    let datagrams = try bound(to: 0x7F00_0001, SOCK_DGRAM, listens: false)
    #expect(try look(datagrams)?.reach == .loopback)
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let sides = (try look(pair[0]), try look(pair[1]))
    #expect(sides.0?.reach == .unix && sides.1?.kind == "unix")
    for descriptor in [listener, client, server, datagrams] + pair { close(descriptor) }
  }

  @Test("who came in by a Unix socket is told from whom this process went to, by their paths")
  func paths() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/door"
    func name(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
    let door = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(name { bind(door, $0, $1) } == 0 && listen(door, 1) == 0)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(name { connect(client, $0, $1) } == 0)
    let server = accept(door, nil, nil)
    let (here, there, listener) = (try look(server), try look(client), try look(door))
    for descriptor in [server, client, door] { close(descriptor) }
    #expect(here?.isIncoming == true && here?.isOutgoing == false && here?.local == path)
    #expect(there?.isOutgoing == true && there?.isIncoming == false && there?.remote == path)
    #expect(listener?.isListening == true && listener?.isOutgoing == false)
  }

  @Test("addresses: of this machine, of none, of others")
  func addresses() {
    func address(_ bytes: [UInt8], _ port: UInt16 = 80) -> SocketAddress { SocketAddress(bytes: bytes, port: port) }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1]
    let one = [UInt8](repeating: 0, count: 15) + [1]
    #expect([address([127, 9, 9, 9]), address(one), address(mapped)].allSatisfy { $0.isLoopback })
    #expect(
      ![address([128, 0, 0, 1]), address([UInt8](repeating: 0, count: 16)), address([10, 0, 0, 1])].contains {
        $0.isLoopback
      })
    #expect(address([0, 0, 0, 0], 0).isNowhere && !address([0, 0, 0, 0], 80).isNowhere)
    #expect(
      address([93, 184, 216, 34], 443).description == "93.184.216.34:443"
        && address(mapped).description == "127.0.0.1:80")
    #expect(
      address([0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]).description == "[2001:db8:0:0:0:0:0:1]:80"
    )
  }
}
