// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime

/// A pipe by which one thread (or a signal handler) wakes another out of `poll`. Neither end blocks.
final class WakePipe: Sendable {
  private let pipe: Pipe
  var readEnd: Int32 { pipe.readEnd }
  var writeEnd: Int32 { pipe.writeEnd }

  init() throws {
    do { pipe = try Pipe() } catch { throw LineEditorError.pipe(error.code) }
    _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
  }

  func send(_ byte: UInt8) {
    var byte = byte
    // A full pipe holds wake-ups enough.
    _ = write(writeEnd, &byte, 1)
  }

  /// The next byte, or nil when there is none.
  func receive() -> UInt8? {
    var byte: UInt8 = 0
    return read(readEnd, &byte, 1) == 1 ? byte : nil
  }
}
