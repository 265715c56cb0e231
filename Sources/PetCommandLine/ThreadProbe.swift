// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetRuntime

/// Whether this process may have the threads that it needs.
package enum ThreadProbe {
  /// Beside the pool of tasks: signals, lines, timers.
  static let others = 3

  /// Starts as many threads as a command may use at the same time, and ends them. Swift's pool of tasks waits for ever, without a
  /// word, for a thread that it cannot have.
  /// - Throws: `ThreadError`.
  package static func check() throws(ThreadError) {
    var gate: [Int32] = [-1, -1]
    guard pipe(&gate) == 0 else { throw ThreadError(code: errno) }
    let (reading, writing) = (gate[0], gate[1])
    var threads: [pthread_t] = []
    var failure: Int32 = 0
    while failure == 0, threads.count < max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + others {
      var thread = pthread_t()
      failure = pthread_create(&thread, nil, { waitForEnd($0) }, UnsafeMutableRawPointer(bitPattern: Int(reading) + 1))
      if failure == 0 { threads.append(thread) }
    }
    close(writing)
    for thread in threads { pthread_join(thread, nil) }
    close(reading)
    guard failure == 0 else { throw ThreadError(code: failure) }
  }
}

/// - Parameter descriptor: and one, so that it is no null pointer.
private func waitForEnd(_ descriptor: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  var byte: UInt8 = 0
  while read(Int32(Int(bitPattern: descriptor) - 1), &byte, 1) < 0, errno == EINTR {}
  return nil
}
