// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

/// The file of a Unix socket: for its owner alone, and nobody's who still listens.
enum UnixSocket {
  /// What SO_PEERCRED tells, as `struct ucred` in unix(7).
  struct Peer {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
  }

  /// Removes a socket that a program left when it was killed: one that refuses connections. Any other may be a living program's.
  /// - Throws: `ListeningError`.
  static func prepare(_ path: String) throws {
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
      throw ListeningError.pathTooLong(path)
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw ListeningError.notASocket(path) }
    do throws(LocalService.Failure) {
      close(try LocalService(socket: path, home: nil).connect())
    } catch {
      switch error {
      case .system(ECONNREFUSED):
        unlink(path)
        return
      case .system(ENOENT): return
      case .stranger, .system(EAGAIN): break
      case .system(let code): throw ListeningError.bind(path, code: code)
      }
    }
    throw ListeningError.inUse(path)
  }

  static func restrict(_ path: String) throws {
    guard chmod(path, 0o600) == 0 else { throw ListeningError.bind(path, code: errno) }
  }
}

/// Why a server does not listen.
package enum ListeningError: Error, Equatable, CustomStringConvertible {
  case pathTooLong(String)
  case notASocket(String)
  case inUse(String)
  /// The system's error number.
  case bind(String, code: Int32)
  case notLocal(String)

  package var description: String {
    switch self {
    case .pathTooLong(let path): "\(path): longer than a socket's path may be (107 bytes); choose another with --socket"
    case .notASocket(let path): "\(path): something else than a socket is there; remove it, or choose another path"
    case .inUse(let path): "\(path): another petd answers there; stop it, or choose another path with --socket"
    case .notLocal(let address):
      "\(address): others than this machine could reach it; give a Unix socket or one on 127.0.0.1"
    case .bind(let address, let code): "\(address): cannot listen: \(String(cString: strerror(code)))\(Self.mend(code))"
    }
  }

  private static func mend(_ code: Int32) -> String {
    switch code {
    case EADDRINUSE:
      "; another program listens there: stop it, or choose another with --port (0: any that is free) or --socket"
    case EACCES, EPERM:
      "; check who owns the folder, and choose a socket in one of yours with --socket, or a port from 1024 on with --port"
    case EROFS: "; nothing can be made there: choose another path with --socket"
    case ENOSPC, EDQUOT: "; free some space, or choose another path with --socket"
    case EMFILE, ENFILE: "; close some programs, or raise the limit on open files (ulimit -n)"
    default: "; choose another address with --socket or --port"
    }
  }
}
