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

  /// Ends the process the way `number` would have, had nobody caught it.
  package static func die(of number: Int32) {
    _ = signal(number, SIG_DFL)
    _ = raise(number)
  }
}
