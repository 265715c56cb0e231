// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetFiles
import PetRuntime

/// Standard input of a command, read whole.
enum StandardInput {
  /// Far above any prompt or text to measure; memory stays bounded whatever is piped in.
  private static let limit = 256 << 20

  static func bytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try piece()
      if chunk.isEmpty { return bytes }
      guard bytes.count + chunk.count <= limit else { throw InputError.tooLong(path: "standard input", limit: limit) }
      bytes += chunk
    }
  }

  /// What there is, at least a byte; empty at the end.
  static func piece() throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      repeat {
        count = max(-1, read(STDIN_FILENO, buffer.baseAddress, buffer.count))
      } while count < 0 && errno == EINTR
      guard count >= 0 else {
        count = 0
        throw FileError(path: "standard input", operation: "read", code: errno)
      }
    }
  }

  /// Far above any line of a text.
  private static let lineLimit = 16 << 20

  /// Gives each line once it is there, without its end: LF or CRLF. The last one may have none. A byte order mark is no part of the first.
  /// - Throws: `FileError`, `LineEditorError.lineTooLong`, what `body` throws.
  static func eachLine(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    var line: [UInt8] = []
    var isFirst = true
    func finish() throws {
      var bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
      if isFirst { bytes = InputText.withoutMark(bytes) }
      isFirst = false
      try body(bytes)
      line.removeAll(keepingCapacity: true)
    }
    func extend(with bytes: ArraySlice<UInt8>) throws {
      guard line.count + bytes.count <= lineLimit else { throw LineEditorError.lineTooLong(limit: lineLimit) }
      line += bytes
    }
    while case let piece = try Self.piece(), !piece.isEmpty {
      var rest = piece[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        try extend(with: rest[..<end])
        try finish()
        rest = rest[(end + 1)...]
      }
      try extend(with: rest)
    }
    if !line.isEmpty { try finish() }
  }

  static func text() throws -> String {
    var isTold = false
    return InputText.decode(InputText.withoutMark(try bytes()[...]), isTold: &isTold)
  }
}
