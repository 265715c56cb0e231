// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime

/// What a program has open when it starts.
package enum StandardDescriptors {
  /// Opens /dev/null on standard streams that came closed: the next file that is opened would take their place. Closes what else was inherited:
  /// words could go out by it, whatever the program gives up later. What the command line names is kept, as shells name pipes of theirs
  /// (`--persona <(...)`), where it is no socket.
  ///
  /// Before the program opens anything itself.
  /// - Parameter listeners: sockets that listen for this program, by what the service manager says; others are closed.
  package static func settle(listeners: [Int32] = [], arguments: [String] = CommandLine.arguments) {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is this one: those below it are open.
      // Reading an input and writing to an output that came closed fails all the same (EBADF): an input that is not there is no empty
      // one, and what is lost must be told.
      _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
    }
    let kept = named(in: arguments).filter { !isSocket($0) } + listeners.filter(isListening)
    Sandbox.closeInherited(except: Set(kept))
  }

  /// Numbers in paths such as /dev/fd/63.
  package static func named(in arguments: [String]) -> [Int32] {
    arguments.flatMap { argument in
      ["/dev/fd/", "/proc/self/fd/"].compactMap { folder -> Int32? in
        guard let end = end(of: folder, in: argument) else { return nil }
        return Int32(argument[end...].prefix { $0.isASCII && $0.isNumber })
      }
    }
  }

  private static func end(of part: String, in text: String) -> String.Index? {
    text.indices.first { text[$0...].hasPrefix(part) }.map { text.index($0, offsetBy: part.count) }
  }

  private static func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func isListening(_ descriptor: Int32) -> Bool {
    var (value, length) = (Int32(0), socklen_t(4))
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value == 1
  }

  /// libdispatch tells the system log where it may not set a thread's priority, as every user but root may not: a connection to another
  /// program. Before its first queue.
  package static func keepSystemLogClosed() { setenv("LIBDISPATCH_LOG", "NO", 1) }
}
