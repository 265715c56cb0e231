#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket that this process has open.
public struct OpenSocket: Sendable, Equatable {
  public enum Reach: String, Sendable, CaseIterable {
    /// Other processes of this machine, by a path or as a pair.
    case unix
    /// Addresses of this machine only.
    case loopback
    /// Not listed by the kernel's tables: of a family that has none, or neither bound nor connected yet.
    case unknown
    /// Any other address.
    case internet
  }

  /// Tells sockets apart, as long as they are open.
  public var inode: UInt64
  public var reach: Reach
  /// The kernel's table that lists it: "tcp", "udp6", "unix"; empty where none does.
  public var table = ""
  /// Addresses as people write them; empty where there are none.
  public var local = ""
  public var remote = ""
  /// Whether it waits for others to come.
  public var isListening = false
  /// Whether it was opened by another machine, to a port on which this process listens.
  public var isIncoming = false

  public init(inode: UInt64, reach: Reach) {
    self.inode = inode
    self.reach = reach
  }
}

/// The sockets that this process has open, as proc(5) tells: who else could hear what it says.
public struct OpenSockets: Sendable, Equatable {
  public let sockets: [OpenSocket]

  public init(_ sockets: [OpenSocket]) { self.sockets = sockets }

  public func count(_ reach: OpenSocket.Reach) -> Int { sockets.count { $0.reach == reach } }

  /// Nil where there is no such file system.
  /// - Complexity: O(open files and sockets of the machine's network namespace).
  public static func read(root: String = "/") -> OpenSockets? {
    guard let first = look(root) else { return nil }
    let unlisted = first.filter { $0.reach == .unknown }
    // One that was opened or closed between two files is in one of them only.
    guard !unlisted.isEmpty, let second = look(root) else { return OpenSockets(first) }
    return OpenSockets(
      second.filter { socket in
        socket.reach != .unknown || unlisted.contains { $0.inode == socket.inode }
      })
  }

  /// Which there are, and no more: some microseconds for each open file.
  static func inodes(root: String = "/") -> Set<UInt64>? {
    let folder = "\(root)/proc/self/fd"
    guard Folder.isFolder(folder) else { return nil }
    var inodes: Set<UInt64> = []
    var target = [UInt8](repeating: 0, count: 64)
    for name in Folder.names(in: folder) {
      let length = readlink("\(folder)/\(name)", &target, target.count)
      guard length > 0 else { continue }
      let text = String(decoding: target[..<length], as: UTF8.self)
      guard text.hasPrefix("socket:["), let inode = UInt64(text.dropFirst(8).dropLast()) else { continue }
      inodes.insert(inode)
    }
    return inodes
  }

  private static func look(_ root: String) -> [OpenSocket]? {
    guard let own = inodes(root: root) else { return nil }
    let files = FactFiles(root: root)
    var known: [UInt64: OpenSocket] = [:]
    for line in lines(files, "unix") {
      guard line.count > 6, let inode = UInt64(line[6]), own.contains(inode) else { continue }
      var socket = OpenSocket(inode: inode, reach: .unix)
      (socket.table, socket.local) = ("unix", line.count > 7 ? String(line[7]) : "")
      known[inode] = socket
    }
    for table in ["tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6"] {
      for line in lines(files, table) {
        guard line.count > 9, let inode = UInt64(line[9]), own.contains(inode) else { continue }
        let (local, remote) = (SocketAddress(line[1]), SocketAddress(line[2]))
        let isNear = local?.isLoopback == true && (remote?.isLoopback == true || remote?.isNowhere == true)
        var socket = OpenSocket(inode: inode, reach: isNear ? .loopback : .internet)
        (socket.table, socket.local) = (table, local?.description ?? "")
        socket.remote = remote?.isNowhere == false ? remote?.description ?? "" : ""
        // TCP_LISTEN, include/net/tcp_states.h.
        socket.isListening = table.hasPrefix("tcp") && line[3] == "0A"
        known[inode] = socket
      }
    }
    let doors = Set(known.values.filter(\.isListening).compactMap { SocketAddress.port(of: $0.local) })
    return own.sorted().map { inode in
      guard var socket = known[inode] else { return OpenSocket(inode: inode, reach: .unknown) }
      socket.isIncoming =
        socket.table.hasPrefix("tcp") && !socket.isListening
        && SocketAddress.port(of: socket.local).map(doors.contains) == true
      return socket
    }
  }

  private static func lines(_ files: FactFiles, _ table: String) -> [[Substring]] {
    (files.text("proc/self/net/\(table)") ?? "").split(separator: "\n").dropFirst()
      .map { $0.split(separator: " ", omittingEmptySubsequences: true) }
  }
}
