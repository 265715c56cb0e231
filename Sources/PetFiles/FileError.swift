// SPDX-License-Identifier: Apache-2.0
import PetText
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A system call on a file that failed.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  public let path: String
  /// What was tried: "open", "read", ...
  public let operation: String
  /// The system's error number; 0 when the file ended before the bytes that were asked for.
  public let code: Int32

  package init(path: String, operation: String, code: Int32) {
    self.path = path
    self.operation = operation
    self.code = code
  }

  /// Whether this process can open no other files than those that it was confined to: a refusal is then no fault of a
  /// file's mode.
  package static let areFilesConfined = Atomic<Bool>(false)

  /// There is nothing at the path.
  package var isMissing: Bool { operation == "open" && (code == ENOENT || code == ENOTDIR) }

  /// The same of the file that was asked for, where a draft of it failed: its name says nothing to anybody.
  package func naming(_ path: String, insteadOf draft: String) -> FileError {
    self.path == draft ? FileError(path: path, operation: operation, code: code) : self
  }

  public var description: String { "\(path.isEmpty ? "''" : path.printable(atMost: 4096)): \(reason)" }

  /// What failed and how to mend it, without the path.
  package var reason: String {
    "cannot \(operation): \(code == 0 ? "the file ends too early" : String(cString: strerror(code)))\(mend)"
  }

  private var mend: String {
    switch code {
    case 0: "; it was cut short or is still being written: fetch it again"
    case ENOSPC, EDQUOT: "; free some space"
    case EACCES where Self.areFilesConfined.load(ordering: .relaxed):
      "; check the owner and the mode, and whether this program was started with the file: it gave up all others"
    case EACCES, EPERM: "; check the owner and the mode"
    case EROFS: "; set PET_HOME to a folder that can be written"
    case EFBIG: operation == "read" ? "; give the right file" : "; raise the limit on file sizes (ulimit -f)"
    case ENOENT: "; check the path"
    case ENOTDIR: "; a part of the path, or the place that PET_HOME names, is no folder: give another"
    case EBADF: "; it came closed: give one that is open"
    case EISDIR: "; give a file, not a folder"
    case EINVAL where operation == "read" || operation == "open": "; give a regular file"
    case EBUSY, ETXTBSY: "; another program uses it: wait for it, or give another"
    case EWOULDBLOCK where operation == "lock": "; another process uses it: wait for it to end"
    case ELOOP: "; give the file itself, not a link"
    case EIO: "; check the disk"
    default: SystemLimit(ofFile: code).map { "; \($0.advice)" } ?? ""
    }
  }
}
