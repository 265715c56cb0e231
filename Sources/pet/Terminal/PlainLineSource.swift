// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import Glibc

/// Lines of a pipe, a file, or a terminal that cannot edit.
final class PlainLineSource: LineSource, @unchecked Sendable {  // confined to one reading thread at a time
  /// Far above any message, far below what would hurt: a stream without line ends must not fill the memory.
  static let lengthLimit = 1 << 20

  /// There is none: whoever writes through a pipe has their lines.
  func forgetHistory(saying words: String?) {}
  func settle(keeps: Bool) {}

  private let descriptor: Int32
  private let isTerminal: Bool
  private let interjections: Interjections
  private let wake: WakePipe
  private var hint: LeaveHint
  private var buffer: [UInt8] = []
  private var searched = 0
  private var reachedEnd = false
  /// Within a line that is too long, which was told: what is left of it is dropped.
  private var isDropping = false
  private var isAtStart = true
  private var isBadTextTold = false

  init(
    descriptor: Int32, isTerminal: Bool, interjections: Interjections, wake: WakePipe, leaveHint: String
  ) {
    self.descriptor = descriptor
    self.isTerminal = isTerminal
    self.interjections = interjections
    self.wake = wake
    hint = LeaveHint(leaveHint)
  }

  /// In a pipeline Ctrl-C keeps its usual meaning while input is awaited.
  func wants(signal: Int32) -> Bool { isTerminal && signal == SIGINT }

  func readLine(prompt: String) throws -> String? {
    show(prompt)
    while true {
      if let line = takeLine() { return line }
      if reachedEnd {
        if isTerminal, buffer.isEmpty { Output.error.write("\n") }
        return takeRest()
      }
      if buffer.count > Self.lengthLimit {
        (buffer, searched) = ([], 0)
        if !isDropping {
          isDropping = true
          throw LineEditorError.lineTooLong(limit: Self.lengthLimit)
        }
      }
      try fill(prompt: prompt)
    }
  }

  private func fill(prompt: String) throws {
    var ready = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&ready, 2, -1) > 0 else { return }
    while let byte = wake.receive() {
      if byte == LineWake.cancel { throw CancellationError() }
      if byte == LineWake.interject {
        // Where nothing can be redrawn what is typed so far stays where it is, above.
        let texts = interjections.take()
        if isTerminal, !texts.isEmpty {
          Output.standard.write("\n" + texts.joined())
          show(prompt)
        }
        continue
      }
      Output.error.write("\n")
      if let text = hint.interrupted(lineWasEmpty: buffer.isEmpty) { Output.error.tell(text) }
      buffer = []
      searched = 0
      show(prompt)
    }
    guard ready[0].revents != 0 else { return }
    let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { chunk in
      let count = read(descriptor, chunk.baseAddress, chunk.count)
      if count > 0 { buffer.append(contentsOf: chunk[..<count]) }
      return count
    }
    if count == 0 { reachedEnd = true }
    if count < 0, errno != EINTR, errno != EAGAIN { throw LineEditorError.read(errno) }
  }

  private func takeLine() -> String? {
    if isDropping, let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
      buffer.removeSubrange(...end)
      (searched, isDropping) = (0, false)
    }
    guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = buffer.count
      return nil
    }
    defer {
      buffer.removeSubrange(...end)
      searched = 0
    }
    return text(buffer[..<end])
  }

  private func takeRest() -> String? {
    guard !buffer.isEmpty, !isDropping else { return nil }
    defer {
      buffer = []
      searched = 0
    }
    return text(buffer[...])
  }

  private func text(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    if isAtStart { bytes = InputText.withoutMark(bytes) }
    isAtStart = false
    return InputText.decode(bytes, isTold: &isBadTextTold)
  }

  private func show(_ prompt: String) {
    guard isTerminal else { return }
    Output.error.write(prompt.filter { $0 != "\u{1}" })
  }
}
