// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A limit of this process, or of the machine, on which a system call failed.
package enum SystemLimit: Sendable {
  case openFiles, threads, memory

  /// Nil where the error tells of no limit. EAGAIN tells of none here: a file that another has locked gives it too.
  package init?(ofFile code: Int32) {
    switch code {
    case EMFILE, ENFILE: self = .openFiles
    case ENOMEM: self = .memory
    default: return nil
    }
  }

  /// Of a thread or a process that could not be started.
  package init?(ofStart code: Int32) {
    if code == EAGAIN { self = .threads } else { self.init(ofFile: code) }
  }

  package var advice: String {
    switch self {
    case .openFiles: "close some programs, or raise the limit on open files (ulimit -n)"
    case .threads: "close some programs, or raise the limits on processes and memory (ulimit -u, -v, -d)"
    case .memory: "close some programs, or raise the limits on memory (ulimit -v, -d)"
    }
  }
}
