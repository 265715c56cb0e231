// SPDX-License-Identifier: Apache-2.0
import Crypto

/// A SHA-256 digest; 64 hexadecimal digits as text.
public struct SHA256Hash: Sendable, Hashable, Codable, CustomStringConvertible {
  private let hex: String

  /// nil unless `text` is 64 hexadecimal digits.
  public init?(_ text: String) {
    let lower = text.lowercased()
    guard lower.utf8.count == 64,
      lower.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    hex = lower
  }

  init(digest: some Sequence<UInt8>) {
    let digits = Array("0123456789abcdef".utf8)
    hex = String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Of bytes in memory.
  public init(of bytes: [UInt8]) {
    self.init(digest: SHA256.hash(data: bytes))
  }

  public var description: String { hex }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let hash = SHA256Hash(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 64 hexadecimal digits")
    }
    self = hash
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
