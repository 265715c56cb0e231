// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A trigger on pressure stall information: `descriptor` has POLLPRI when tasks waited too long within a window.
struct StallTrigger: ~Copyable {
  let descriptor: Int32
  let level: MemoryPressureLevel

  /// Some task waited 100 ms of 2 s.
  static let warning = "some 100000 2000000"
  /// All tasks waited 100 ms of 2 s. Two seconds because those who are not privileged get no other window.
  static let critical = "full 100000 2000000"

  /// nil where the kernel refuses: no such file, no permission, or older than 5.2.
  init?(path: String, level: MemoryPressureLevel) {
    guard level > .normal else { return nil }
    let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    let text = level == .critical ? Self.critical : Self.warning
    // With the zero byte at its end.
    let written = text.withCString { write(opened, $0, text.utf8.count + 1) }
    guard written == text.utf8.count + 1 else {
      close(opened)
      return nil
    }
    descriptor = opened
    self.level = level
  }

  deinit { close(descriptor) }
}
