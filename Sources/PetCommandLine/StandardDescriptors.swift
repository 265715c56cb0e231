import Glibc

package enum StandardDescriptors {
  /// Opens /dev/null on standard streams that came closed: the next file that is opened would take their place. Writing to an
  /// output that came closed fails all the same (EBADF): what is lost there must be told.
  package static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is this one: those below it are open.
      _ = Glibc.open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
