import Glibc

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
  public var inode: UInt64
  public var reach: Reach
  /// "tcp", "udp6", "raw", "unix", "netlink", "packet"; the number of any other family.
  public var kind = ""
  /// Addresses as people write them; empty where there are none.
  public var local = ""
  public var remote = ""
  /// Whether it waits for others to come.
  public var isListening = false
  /// Whether it was opened by another, to a port on which this process listens.
  public var isIncoming = false

  public init(inode: UInt64, reach: Reach) {
    self.inode = inode
    self.reach = reach
  }
}

/// The sockets that this process has open: who else could hear what it says.
///
/// Which files are sockets is read in proc(5); of each the kernel is asked itself, socket(7). Its tables below /proc/net would say the same, but
/// some machines take tens of milliseconds to write them.
public struct OpenSockets: Sendable, Equatable {
  public let sockets: [OpenSocket]

  public init(_ sockets: [OpenSocket]) { self.sockets = sockets }

  public func count(_ reach: OpenSocket.Reach) -> Int { sockets.count { $0.reach == reach } }

  /// Nil where it cannot be told which files are open.
  /// - Parameter root: below which /proc is, "/" but for tests.
  /// - Complexity: O(open files): some microseconds for each.
  public static func read(root: String = "/") -> OpenSockets? {
    guard let descriptors = descriptors(root: root) else { return nil }
    // One that was closed meanwhile is none, and another may have its number.
    var seen: Set<UInt64> = []
    var sockets = descriptors.compactMap { inode, descriptor -> OpenSocket? in
      guard seen.insert(inode).inserted else { return nil }
      return inode == Self.inode(of: descriptor) ? socket(descriptor, inode) : nil
    }
    let doors = Set(sockets.filter(\.isListening).compactMap { SocketAddress.port(of: $0.local) })
    for index in sockets.indices where sockets[index].kind.hasPrefix("tcp") && !sockets[index].isListening {
      sockets[index].isIncoming = SocketAddress.port(of: sockets[index].local).map(doors.contains) == true
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
    guard family == AF_INET || family == AF_INET6 else { return socket }
    let local = SocketAddress { getsockname(descriptor, $0, $1) }
    let remote = SocketAddress { getpeername(descriptor, $0, $1) }
    socket.isListening = option(descriptor, SO_ACCEPTCONN) == 1
    (socket.local, socket.remote) = (local?.description ?? "", remote?.description ?? "")
    guard let local, remote != nil || !local.isNowhere || socket.isListening else { return socket }
    let isNear = (local.isLoopback || local.isNowhere && remote != nil) && remote?.isLoopback != false
    socket.reach = isNear ? .loopback : .internet
    return socket
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
