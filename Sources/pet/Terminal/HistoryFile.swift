import Glibc

/// The lines that were typed, one per line, oldest first; readable by its owner only. A history that cannot be read or
/// written is no reason to stop a conversation: failures leave it as it is.
package struct HistoryFile: Sendable {
  package static let lineLimit = 1000
  /// A file above this was not written by us.
  private static let byteLimit = 16 << 20

  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// The last `lineLimit` lines. Rewrites the file when it holds more.
  package func load() -> [String] {
    guard let bytes = read() else { return [] }
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard lines.count > Self.lineLimit else { return lines }
    let kept = Array(lines.suffix(Self.lineLimit))
    rewrite(kept)
    return kept
  }

  /// Adds one line; one write, so that two programs with one history do not mix theirs.
  package func append(_ line: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    fchmod(descriptor, 0o600)
    put(line.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n", to: descriptor)
  }

  /// Overwrites the lines and removes the file.
  package func erase() {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor >= 0 {
      overwrite(descriptor)
      close(descriptor)
    }
    unlink(path)
  }

  private func overwrite(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    put(String(repeating: "\n", count: min(max(0, Int(status.st_size)), Self.byteLimit)), to: descriptor)
    fsync(descriptor)
  }

  private func rewrite(_ lines: [String]) {
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let isWhole = put(lines.joined(separator: "\n") + "\n", to: descriptor)
    close(descriptor)
    // What is freed is overwritten first: its lines are to be found nowhere once the history is erased.
    let former = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    defer { if former >= 0 { close(former) } }
    if isWhole, rename(draft, path) == 0 {
      if former >= 0 { overwrite(former) }
    } else {
      unlink(draft)
    }
  }

  @discardableResult
  private func put(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { write(descriptor, $0.baseAddress, $0.count) == $0.count }
  }

  private func read() -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.byteLimit else {
      return nil
    }
    // Before the program is sealed; then it may change no rights.
    if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      while count < buffer.count {
        let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        guard got > 0 else { break }
        count += got
      }
    }
  }
}
