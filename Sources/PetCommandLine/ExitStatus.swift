// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetRuntime

/// How the process ends; the numbers are a contract with scripts.
package enum ExitStatus: Int32, Sendable {
  case done = 0
  /// The command line makes no sense.
  case usage = 2
  /// A model, an input or a place was refused: absent, damaged, malformed, unsupported, not allowed, full, in use.
  case refused = 3
  /// Not enough memory, or another limit of the process is too low.
  case outOfMemory = 4
  /// A fault of ours.
  case `internal` = 70
  /// Ctrl-C cut the output short: as a shell counts SIGINT.
  case interrupted = 130
  /// Whoever read the output went away: as a shell counts SIGPIPE.
  case readerGone = 141
}

extension ExitStatus {
  /// Of a system call on a file.
  /// - Parameter code: `errno`.
  package static func ofFile(_ code: Int32) -> ExitStatus { SystemLimit(ofFile: code) == nil ? .refused : .outOfMemory }

  /// Of a thread or a process that could not be started.
  package static func ofStart(_ code: Int32) -> ExitStatus {
    SystemLimit(ofStart: code) == nil ? .refused : .outOfMemory
  }
}

/// An error that people may see: `description` is one line that says what, where, and how to mend it.
package protocol UserFacingError: Error, CustomStringConvertible {
  var exitStatus: ExitStatus { get }
}

extension UserFacingError {
  package var exitStatus: ExitStatus { .refused }
}
