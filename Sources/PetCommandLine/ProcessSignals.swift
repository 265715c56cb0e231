// SPDX-License-Identifier: Apache-2.0
import Glibc

package enum ProcessSignals {
  /// Writing to a pipe whose reader left then fails with EPIPE, which `Output` handles.
  package static func ignoreBrokenPipe() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Writing beyond a limit on file sizes then fails with EFBIG, which is told like a full disk.
  package static func ignoreFileSizeLimit() {
    _ = signal(SIGXFSZ, SIG_IGN)
  }

  /// Signals that whoever started this process kept from its own threads come through again: masks are inherited, signal(7).
  package static func unblock() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Ends the process the way `number` would have, had nobody caught it.
  package static func die(of number: Int32) {
    _ = signal(number, SIG_DFL)
    // A thread of the pool has them all blocked.
    unblock()
    _ = raise(number)
  }
}
