// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A pipe whose ends no other program inherits and whose reading end never blocks.
package struct Pipe: ~Copyable, Sendable {
  package let readEnd: Int32
  package private(set) var writeEnd: Int32

  /// - Throws: the number of the error.
  package init() throws(PipeError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw PipeError(code: errno) }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(readEnd)
    if writeEnd >= 0 { close(writeEnd) }
  }

  package mutating func closeWriteEnd() {
    close(writeEnd)
    writeEnd = -1
  }
}

package struct PipeError: Error, Equatable {
  package let code: Int32
}
