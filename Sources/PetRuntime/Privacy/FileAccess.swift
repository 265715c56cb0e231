// SPDX-License-Identifier: Apache-2.0
import CSandbox

/// What a confined process may do with a path, and with all below it.
public struct FileAccess: Sendable, Equatable {
  public enum Mode: Sendable, Equatable {
    case read
    /// Reads, writes, makes and removes.
    case own
    /// Writes into what is there; a terminal may be set up as well.
    case readWrite
    /// Makes and removes sockets; reads and writes nothing.
    case socket
    /// Makes, writes and removes files; reads none.
    case make
  }

  package let path: String
  package let mode: Mode

  public init(_ path: String, _ mode: Mode) {
    self.path = path
    self.mode = mode
  }

  var flags: Int32 {
    switch mode {
    case .read: Int32(PS_FILE_READ)
    case .own, .readWrite: Int32(PS_FILE_READ | PS_FILE_WRITE)
    case .socket: Int32(PS_FILE_SOCKET)
    case .make: Int32(PS_FILE_MAKE)
    }
  }

  /// How the kernel is asked to tell of memory pressure.
  package static func pressure(root: String = "/") -> [FileAccess] {
    let groups = ControlGroups(FactFiles(root: root).text("proc/self/cgroup") ?? "")
    return [FileAccess(root + "proc/pressure/memory", .readWrite)]
      + groups.unifiedFolders.map { FileAccess("\(root)\($0)/memory.pressure", .readWrite) }
  }

  /// What any program that runs this engine reads of a system: facts of the machine, libraries and tables of the C library.
  /// Nothing in it is a person's. Paths that are not there do no harm.
  public static var system: [FileAccess] {
    [

      // All of it, because libdispatch looks up threads by their numbers there and ends the program where it cannot. The kernel keeps other
      // processes' memory, environment and files from who is confined; what they are called can be read.
      "/proc",
      "/sys", "/dev/urandom", "/dev/random", "/dev/zero",
      "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/usr/share/locale", "/usr/share/terminfo",
      "/usr/share/i18n", "/etc/ld.so.cache", "/etc/localtime", "/etc/timezone", "/etc/terminfo", "/etc/locale.alias",
      "/etc/os-release",
    ].map { FileAccess($0, .read) }
      + ["/dev/null", "/dev/tty"].map { FileAccess($0, .readWrite) } + pressure()
  }
}
