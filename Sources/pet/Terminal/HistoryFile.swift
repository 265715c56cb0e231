// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles

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
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
    guard let file = try? OpenFile(path, flags: flags, mode: 0o600) else { return }
    fchmod(file.descriptor, 0o600)
    let text = line.split(whereSeparator: \.isNewline).joined(separator: " ") + "\n"
    try? Array(text.utf8).withUnsafeBytes { try file.write($0) }
  }

  /// Overwrites the lines and removes the file.
  /// - Parameter words: of the lines that go, whatever the case of their letters; nil: all go.
  package func erase(saying words: String? = nil) {
    if let words = words.map(Self.words) {
      if words.isEmpty { return }
      let lines = load()
      let kept = lines.filter { !Self.words($0).contains(words) }
      if kept.count == lines.count { return }
      if !kept.isEmpty { return rewrite(kept) }
    }
    try? OpenFile.overwrite(path)
    unlink(path)
  }

  private static func words(_ text: String) -> [Substring] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }
  }

  private func rewrite(_ lines: [String]) {
    // What is freed is overwritten: its lines are to be found nowhere once the history is erased.
    guard let former = try? OpenFile(path, flags: O_WRONLY | O_NOFOLLOW | O_NONBLOCK) else { return }
    do {
      let draft = try FileDraft(path: path, mode: 0o600)
      try draft.write(Array((lines.joined(separator: "\n") + "\n").utf8))
      try draft.commit()
      try former.overwrite()
    } catch {}
  }

  private func read() -> [UInt8]? {
    guard let file = try? OpenFile.regular(path), let size = try? file.size, size <= Self.byteLimit else { return nil }
    // Before the program is sealed; then it may change no rights.
    if !file.isPrivate { fchmod(file.descriptor, 0o600) }
    return try? file.prefix(Int(size))
  }
}
