/// An internet address and a port, as the tables below /proc/net have them: words of 32 bits in hexadecimal, each in the byte order of
/// this machine, then the port.
struct SocketAddress: Sendable, Equatable, CustomStringConvertible {
  /// 4 or 16, as they go over the wire.
  let bytes: [UInt8]
  let port: UInt16

  init?(_ text: Substring) {
    let parts = text.split(separator: ":")
    guard parts.count == 2, parts[0].count == 8 || parts[0].count == 32, let port = UInt16(parts[1], radix: 16) else {
      return nil
    }
    var bytes: [UInt8] = []
    var rest = parts[0]
    while !rest.isEmpty {
      guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
      withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
      rest = rest.dropFirst(8)
    }
    self.bytes = bytes
    self.port = port
  }

  /// 127.0.0.0/8, alone or mapped into IPv6, and ::1.
  var isLoopback: Bool {
    if bytes.count == 4 { return bytes[0] == 127 }
    return bytes == [UInt8](repeating: 0, count: 15) + [1] || isMapped && bytes[12] == 127
  }

  var isNowhere: Bool { port == 0 && bytes.allSatisfy { $0 == 0 } }

  private var isMapped: Bool { bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff }

  package var description: String {
    let dotted = bytes.suffix(4).map { "\($0)" }.joined(separator: ".")
    if bytes.count == 4 || isMapped { return "\(dotted):\(port)" }
    let groups = stride(from: 0, to: 16, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }

  static func port(of address: String) -> UInt16? { address.split(separator: ":").last.flatMap { UInt16($0) } }
}
