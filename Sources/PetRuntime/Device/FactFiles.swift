// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetText

/// Small text files below a root folder.
struct FactFiles: Sendable {
  /// /proc/cpuinfo of a machine with 512 processors is about 1 MB.
  private static let limit = 4 << 20

  let root: String

  init(root: String) {
    self.root = root.hasSuffix("/") ? root : root + "/"
  }

  /// The file's text, at most 4 MiB of it, or nil. Files of /proc have no size to ask for.
  func text(_ path: String) -> String? {
    guard let file = try? OpenFile.regular(root + path) else { return nil }
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while bytes.count < Self.limit {
      guard let count = try? file.read(into: buffer), count > 0 else { break }
      bytes.append(contentsOf: buffer[..<count])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Names in a folder, sorted; empty when it cannot be read.
  func names(_ path: String) -> [String] { Folder.names(in: root + path) }

  /// The first line, without spaces and zero bytes around it.
  func line(_ path: String) -> String? {
    let first = text(path)?.split(whereSeparator: { $0.isNewline || $0 == "\0" }).first
    return first.map { $0.trimmed }
  }
}

extension StringProtocol {
  /// The two sides of the first `separator`, trimmed.
  func halves(at separator: Character) -> (key: String, value: String)? {
    guard let index = firstIndex(of: separator) else { return nil }
    return (self[..<index].trimmed, self[self.index(after: index)...].trimmed)
  }
}
