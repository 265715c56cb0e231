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

  static func text() throws -> String {
    var isTold = false
    return InputText.decode(InputText.withoutMark(try bytes()[...]), isTold: &isTold)
  }
}
