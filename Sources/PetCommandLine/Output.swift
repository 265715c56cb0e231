// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

/// One of the standard streams, written whole and unbuffered.
package struct Output: Sendable {
  package let descriptor: Int32

  package static let standard = Output(descriptor: STDOUT_FILENO)
  package static let error = Output(descriptor: STDERR_FILENO)

  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Columns of the terminal, or nil when this is none or it does not say.
  package var columns: Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Colours are for terminals, and not where `NO_COLOR` asks for none (no-color.org).
  package func allowsColour(environment: [String: String]) -> Bool {
    isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Writes all of `text`. A reader that went away ends the process quietly, as SIGPIPE would. Any other failure of
  /// standard output ends it with status 3; one of standard error has nobody left to be told.
  package func write(_ text: String) {
    var text = text
    let failure = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0)) }
    guard failure != 0, descriptor != STDERR_FILENO else { return }
    if failure == EPIPE { exit(ExitStatus.readerGone.rawValue) }
    Output.error.write("\(ProgramName.own): \(FileError(path: "standard output", operation: "write", code: failure))\n")
    exit(ExitStatus.refused.rawValue)
  }

  /// Writes a message to people as one line, whatever text from elsewhere is in it.
  package func tell(_ message: String) { writeLine(TerminalText.line(message)) }

  package func writeLine(_ text: String) {
    write(text + "\n")
  }

  /// Returns 0, or the error number of the write that failed.
  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
