// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What may not be open while somebody talks, opened by a test: nothing is sent.
package enum PlantedSocket: String, CaseIterable, Sendable {
  case tcpListener, tcpUnbound, udpBound, udpConnected, tcp6Listener, raw, ping, netlink, packet, vsock

  /// Nil where the kernel has no such socket, or not for this user.
  package func open() -> Int32? {
    let descriptor =
      switch self {
      case .tcpListener, .tcpUnbound: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      case .udpBound, .udpConnected: socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      case .tcp6Listener: socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
      case .raw: socket(AF_INET, Int32(SOCK_RAW.rawValue), 255)
      case .ping: socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 1)
      case .netlink: socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), 0)
      case .packet: socket(AF_PACKET, Int32(SOCK_RAW.rawValue), 0)
      case .vsock: socket(AF_VSOCK, Int32(SOCK_STREAM.rawValue), 0)
      }
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var isOpen = true
    switch self {
    case .tcpListener, .tcp6Listener: isOpen = listen(descriptor, 1) == 0  // on any address
    case .udpBound: isOpen = Self.with(0, 0) { bind(descriptor, $0, $1) } == 0
    // TEST-NET-1, RFC 5737; a datagram socket sends nothing by this. Some machines have no route there.
    case .udpConnected: isOpen = Self.with(0xC000_0201, 9) { connect(descriptor, $0, $1) } == 0
    case .tcpUnbound, .raw, .ping, .netlink, .packet, .vsock: break
    }
    guard isOpen else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func with(_ address: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
    -> Int32
  {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = address.bigEndian
    name.sin_port = port.bigEndian
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  package static func inode(of descriptor: Int32) -> UInt64 {
    var status = stat()
    fstat(descriptor, &status)
    return UInt64(status.st_ino)
  }
}
