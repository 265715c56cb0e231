// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An internet address and a port.
package struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
  /// 4 or 16, as they go over the wire.
  package let bytes: [UInt8]
  package let port: UInt16

  package init(bytes: [UInt8], port: UInt16) {
    self.bytes = bytes
    self.port = port
  }

  /// - Parameter ask: fills in an address: getsockname(2), getpeername(2). Nil where that fails, or there is an address of another kind.
  package init?(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
    }
    guard result == 0 else { return nil }
    // sockaddr_in, ip(7): the port at 2, four bytes at 4; sockaddr_in6, ipv6(7): the port at 2, sixteen bytes at 8.
    let all = withUnsafeBytes(of: &storage) { [UInt8]($0.prefix(28)) }
    let port = UInt16(all[2]) << 8 | UInt16(all[3])
    switch Int32(storage.ss_family) {
    case AF_INET: self.init(bytes: Array(all[4..<8]), port: port)
    case AF_INET6: self.init(bytes: Array(all[8..<24]), port: port)
    default: return nil
    }
  }

  /// 127.0.0.0/8, alone or mapped into IPv6, and ::1.
  package var isLoopback: Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    return bytes == [UInt8](repeating: 0, count: 15) + [1] || isMapped && bytes[12] == 127
  }

  /// Neither an address nor a port.
  package var isNowhere: Bool { port == 0 && bytes.allSatisfy { $0 == 0 } }

  private var isMapped: Bool { bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff }

  package var description: String {
    let dotted = bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
    if bytes.count == 4 || isMapped { return "\(dotted):\(port)" }
    let groups = stride(from: 0, to: 16, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }

  package static func port(of address: String) -> UInt16? { address.split(separator: ":").last.flatMap { UInt16($0) } }
}
