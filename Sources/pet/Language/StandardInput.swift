import PetRuntime

/// Standard input of a command, read whole.
enum StandardInput {
  /// Far above any prompt or text to measure; memory stays bounded whatever is piped in.
  static let limit = 256 << 20

  static func bytes() throws -> [UInt8] { try InputFile.bytes("/dev/stdin", limit: limit) }

  static func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}
