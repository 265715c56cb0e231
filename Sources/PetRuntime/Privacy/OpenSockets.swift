#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The sockets that this process has open, as proc(5) tells: who else could hear what it says.
public struct OpenSockets: Sendable, Equatable {
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

  public let counts: [Reach: Int]

  public init(counts: [Reach: Int]) { self.counts = counts.filter { $0.value > 0 } }

  public func count(_ reach: Reach) -> Int { counts[reach] ?? 0 }

  /// Nil where there is no such file system.
  /// - Complexity: O(open files and sockets of the machine's network namespace).
  public static func read(root: String = "/") -> OpenSockets? {
    guard let first = look(root) else { return nil }
    // One that was opened or closed between two files is in one of them only.
    guard !first.unknown.isEmpty, let second = look(root) else { return OpenSockets(counts: first.counts) }
    var counts = second.counts
    counts[.unknown] = first.unknown.intersection(second.unknown).count
    return OpenSockets(counts: counts)
  }

  private static func look(_ root: String) -> (counts: [Reach: Int], unknown: Set<UInt64>)? {
    guard let own = inodes("\(root)/proc/self/fd") else { return nil }
    let files = FactFiles(root: root)
    var known: [UInt64: Reach] = [:]
    for line in lines(files, "unix") {
      if line.count > 6, let inode = UInt64(line[6]) { known[inode] = .unix }
    }
    for table in ["tcp", "tcp6", "udp", "udp6", "udplite", "udplite6", "raw", "raw6", "icmp", "icmp6"] {
      for line in lines(files, table) {
        guard line.count > 9, let inode = UInt64(line[9]) else { continue }
        let isOpen = isLoopback(line[1]) && (isLoopback(line[2]) || isNowhere(line[2]))
        known[inode] = isOpen ? .loopback : .internet
      }
    }
    var counts: [Reach: Int] = [:]
    for inode in own { counts[known[inode] ?? .unknown, default: 0] += 1 }
    return (counts, own.filter { known[$0] == nil })
  }

  private static func lines(_ files: FactFiles, _ table: String) -> [[Substring]] {
    (files.text("proc/self/net/\(table)") ?? "").split(separator: "\n").dropFirst()
      .map { $0.split(separator: " ", omittingEmptySubsequences: true) }
  }

  private static func inodes(_ folder: String) -> Set<UInt64>? {
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

  /// As the kernel writes addresses: words of 32 bits in hexadecimal, in the byte order of this machine, then the port.
  private static func isLoopback(_ address: Substring) -> Bool {
    let words = address.prefix { $0 != ":" }
    // 127.0.0.0/8; ::1; 127.0.0.0/8 mapped into IPv6.
    return words.count == 8 && words.hasSuffix("7F") || words == "00000000000000000000000001000000"
      || words.count == 32 && words.hasPrefix("0000000000000000FFFF0000") && words.hasSuffix("7F")
  }

  private static func isNowhere(_ address: Substring) -> Bool {
    address.allSatisfy { $0 == "0" || $0 == ":" }
  }
}
