// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// A terminal without a screen: what is typed into it, a program under test reads; what that shows can be read here.
final class PseudoTerminal: Sendable {
  let keyboard: Int32
  let line: Int32

  /// A bare container may have none.
  static var isAvailable: Bool {
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  init() throws {
    // pts(4); Swift does not see posix_openpt and its kin, nor the two request numbers.
    let unlock: UInt = 0x4004_5431
    let askNumber: UInt = 0x8004_5430
    keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(keyboard >= 0)
    var off: Int32 = 0
    try #require(ioctl(keyboard, unlock, &off) == 0)
    var number: Int32 = -1
    try #require(ioctl(keyboard, askNumber, &number) == 0)
    line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(line >= 0)
    _ = fcntl(keyboard, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(keyboard)
    close(line)
  }

  func type(_ text: String) {
    _ = text.utf8.map { $0 }.withUnsafeBytes { write(keyboard, $0.baseAddress, $0.count) }
  }

  /// Everything shown until `text` appears.
  @discardableResult
  func wait(for text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
    var shown: [UInt8] = []
    for _ in patience {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(keyboard, &buffer, buffer.count)
      if count > 0 { shown += buffer[..<count] }
      let soFar = String(decoding: shown, as: UTF8.self)
      if soFar.contains(text) { return soFar }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record(
      "'\(text)' did not appear in \(String(decoding: shown, as: UTF8.self).debugDescription)",
      sourceLocation: sourceLocation)
    return ""
  }
}
