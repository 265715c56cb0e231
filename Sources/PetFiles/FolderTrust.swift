// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whether others could put something of theirs in the place of what lies in a folder. As sshd judges homes (`StrictModes`, sshd_config(5)),
/// it is refused then, and nobody's rights are changed unasked.
package enum FolderTrust {
  package enum Verdict: Sendable, Equatable {
    case trusted
    /// It belongs to another user.
    case foreign
    /// Its group or everybody may write there.
    case writable
  }

  /// Pure.
  /// - Parameters:
  ///   - owner: whose the folder is. Root may do anything anyway.
  ///   - mode: its permissions.
  ///   - user: who asks. What root makes in another's folder is that one's (``FileOwner``).
  ///   - allowsSticky: whether it is enough that only the owner of a file may remove it, as in /tmp.
  package static func decide(owner: UInt32, mode: UInt32, user: UInt32, allowsSticky: Bool = false) -> Verdict {
    guard owner == user || owner == 0 || user == 0 else { return .foreign }
    let isWritable = mode & 0o022 != 0
    let isSticky = mode & 0o1000 != 0
    return isWritable && !(allowsSticky && isSticky) ? .writable : .trusted
  }

  /// The same of a folder above it, in which another folder could be put in its place. That a group may write there is common where
  /// each user has one of its own (umask 002), and is left to the group.
  package static func decideAbove(owner: UInt32, mode: UInt32, user: UInt32) -> Verdict {
    decide(owner: owner == unmapped ? 0 : owner, mode: mode & ~0o020, user: user, allowsSticky: true)
  }

  /// Whose the folders of the machine's root seem to be in a container with users of its own (user_namespaces(7)).
  private static let unmapped: UInt32 = 65534

  /// One that is not there, or is no folder, is left to whoever opens it.
  /// - Throws: ``FolderTrustError``, of the folder or one above it.
  package static func check(_ path: String, allowsSticky: Bool = false) throws(FolderTrustError) {
    try check(path) { decide(owner: $0, mode: $1, user: geteuid(), allowsSticky: allowsSticky) }
    guard let resolved = realpath(path, nil) else { return }
    defer { free(resolved) }
    var above = String(cString: resolved)
    while let slash = above.lastIndex(of: "/"), above != "/" {
      above = slash == above.startIndex ? "/" : String(above[..<slash])
      try check(above) { decideAbove(owner: $0, mode: $1, user: geteuid()) }
    }
  }

  private static func check(
    _ path: String, _ decide: (_ owner: UInt32, _ mode: UInt32) -> Verdict
  ) throws(FolderTrustError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    let mode = status.st_mode & 0o7777
    switch decide(status.st_uid, mode) {
    case .trusted: return
    case .foreign: throw .foreign(path: path, owner: status.st_uid)
    case .writable: throw .writable(path: path, mode: mode)
    }
  }
}

/// Why nothing is said, and nothing kept, in a folder.
public enum FolderTrustError: Error, Equatable, CustomStringConvertible {
  /// With the number of the user whose it is.
  case foreign(path: String, owner: UInt32)
  /// With its permissions.
  case writable(path: String, mode: UInt32)

  public var description: String {
    switch self {
    case .foreign(let path, let owner):
      "\(path): the folder is user \(owner)'s, not yours; choose one of your own"
    case .writable(let path, let mode):
      "\(path): others may write to the folder (mode \(String(mode, radix: 8))), and change what is there; run `chmod go-w` on it, or choose another"
    }
  }
}
