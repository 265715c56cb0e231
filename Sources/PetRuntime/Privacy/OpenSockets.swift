// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import Synchronization

/// A socket that this process has open.
public struct OpenSocket: Sendable, Equatable {
  public enum Reach: String, Sendable, CaseIterable {
    /// Other processes of this machine, by a path or as a pair.
    case unix
    /// Addresses of this machine only.
    case loopback
    /// Of a family that is not about addresses of machines, or neither bound nor connected yet.
    case unknown
    /// Any other address.
    case internet
  }

  /// Tells sockets apart, as long as they are open.
  package var inode: UInt64
  public var reach: Reach
  /// "tcp", "udp6", "raw", "unix", "netlink", "packet"; the number of any other family.
  package var kind = ""
  /// Addresses as people write them, of a Unix socket its path, with @ before an abstract one; empty where there are none.
  public var local = ""
  public var remote = ""
  /// Whether it waits for others to come.
  public var isListening = false
  /// Whether it was opened by another, to a port or a path on which this process listens.
  public var isIncoming = false
  /// Whether it is connected with a socket that has a name, and did not come in.
  public var isOutgoing = false
  /// Whether it is a standard stream, which whoever started this process connected.
  package var isStandardStream = false

  package init(inode: UInt64, reach: Reach) {
    self.inode = inode
    self.reach = reach
  }

  /// Which others come in by; nil where it has none.
  fileprivate var door: String? {
    if kind.hasPrefix("tcp") { return SocketAddress.port(of: local).map { "\($0)" } }
    return reach == .unix && !local.isEmpty ? local : nil
  }
}

/// The sockets that this process has open: who else could hear what it says.
///
/// Which files are sockets is read in proc(5); of each the kernel is asked itself, socket(7). Its tables below /proc/net would say the same, but
/// some machines take tens of milliseconds to write them.
package struct OpenSockets: Sendable, Equatable {
  package let sockets: [OpenSocket]

  /// Where this process listens or did: who came in stays when a door is closed.
  private static let doors = Mutex<Set<String>>([])

  package init(_ sockets: [OpenSocket]) { self.sockets = sockets }

  package func count(_ reach: OpenSocket.Reach) -> Int { sockets.count { $0.reach == reach } }

  /// Nil where it cannot be told which files are open.
  /// - Parameter root: below which /proc is, "/" but for tests.
  /// - Complexity: O(open files): some microseconds for each.
  package static func read(root: String = "/") -> OpenSockets? {
    guard let descriptors = descriptors(root: root) else { return nil }
    let streams = Set(descriptors.filter { $0.descriptor <= STDERR_FILENO }.map(\.inode))
    // One that was closed meanwhile is none, and another may have its number.
    var seen: Set<UInt64> = []
    var sockets = descriptors.compactMap { inode, descriptor -> OpenSocket? in
      guard seen.insert(inode).inserted else { return nil }
      return inode == Self.inode(of: descriptor) ? socket(descriptor, inode) : nil
    }
    let doors = doors.withLock { doors in
      for socket in sockets where socket.isListening { if let door = socket.door { doors.insert(door) } }
      return doors
    }
    for index in sockets.indices {
      let socket = sockets[index]
      sockets[index].isStandardStream = streams.contains(socket.inode)
      guard !socket.isListening else { continue }
      sockets[index].isIncoming = socket.door.map(doors.contains) == true
      sockets[index].isOutgoing = !socket.remote.isEmpty && !sockets[index].isIncoming
    }
    return OpenSockets(sockets)
  }

  /// Which there are, and no more.
  package static func inodes(root: String = "/") -> Set<UInt64>? {
    descriptors(root: root).map { Set($0.map(\.inode)) }
  }

  private static func descriptors(root: String) -> [(inode: UInt64, descriptor: Int32)]? {
    let folder = "\(root)/proc/self/fd"
    guard Folder.isFolder(folder) else { return nil }
    var target = [UInt8](repeating: 0, count: 64)
    return Folder.names(in: folder).compactMap { name in
      let length = readlink("\(folder)/\(name)", &target, target.count)
      guard length > 0, let descriptor = Int32(name) else { return nil }
      let text = String(decoding: target[..<length], as: UTF8.self)
      guard text.hasPrefix("socket:["), let inode = UInt64(text.dropFirst(8).dropLast()) else { return nil }
      return (inode, descriptor)
    }
  }

  private static func inode(of descriptor: Int32) -> UInt64? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  private static func option(_ descriptor: Int32, _ name: Int32) -> Int32 {
    var (value, length) = (Int32(-1), socklen_t(4))
    return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : -1
  }

  private static func socket(_ descriptor: Int32, _ inode: UInt64) -> OpenSocket {
    let family = option(descriptor, SO_DOMAIN)
    var socket = OpenSocket(inode: inode, reach: family == AF_UNIX ? .unix : .unknown)
    socket.kind = kind(family, option(descriptor, SO_TYPE))
    socket.isListening = option(descriptor, SO_ACCEPTCONN) == 1
    if family == AF_UNIX {
      socket.local = unixName { getsockname(descriptor, $0, $1) }
      socket.remote = peerName(of: descriptor)
    }
    guard family == AF_INET || family == AF_INET6 else { return socket }
    let local = SocketAddress { getsockname(descriptor, $0, $1) }
    let remote = SocketAddress { getpeername(descriptor, $0, $1) }
    (socket.local, socket.remote) = (local?.description ?? "", remote?.description ?? "")
    guard let local, remote != nil || !local.isNowhere || socket.isListening else { return socket }
    let isNear = (local.isLoopback || local.isNowhere && remote != nil) && remote?.isLoopback != false
    socket.reach = isNear ? .loopback : .internet
    return socket
  }

  /// Of a Unix socket; empty where it has none.
  static func peerName(of descriptor: Int32) -> String { unixName { getpeername(descriptor, $0, $1) } }

  /// Empty where there is none.
  private static func unixName(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
    -> String
  {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask($0, &length) }
    }
    let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard result == 0, Int(length) > start else { return "" }
    let name = withUnsafeBytes(of: &address) { [UInt8]($0.dropFirst(start).prefix(Int(length) - start)) }
    guard name.first == 0 else { return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
    return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
  }

  private static func kind(_ family: Int32, _ type: Int32) -> String {
    let number = family == AF_INET6 ? "6" : ""
    switch family {
    case AF_UNIX: return "unix"
    case AF_INET, AF_INET6:
      switch type {
      case Int32(SOCK_STREAM.rawValue): return "tcp\(number)"
      case Int32(SOCK_DGRAM.rawValue): return "udp\(number)"
      default: return "raw\(number)"
      }
    case AF_NETLINK: return "netlink"
    case AF_PACKET: return "packet"
    default: return "of family \(family)"
    }
  }
}
