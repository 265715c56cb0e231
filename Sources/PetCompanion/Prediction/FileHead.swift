// SPDX-License-Identifier: Apache-2.0
import Crypto

/// The beginning of a ``PredictionFile``.
package enum FileHead {
  package static let size = 32
  private static let identitySize = 16
  private static let magic = Array("PETPC".utf8) + [0, 0, 1]

  package static func newIdentity() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<identitySize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  package static func bytes(identity: [UInt8]) -> [UInt8] {
    let head = magic + identity
    return head + check(head)
  }

  /// The identity; nil where the bytes are not a whole head of this version.
  package static func identity(in bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == size, bytes.starts(with: magic) else { return nil }
    let end = magic.count + identitySize
    return Array(bytes[end...]) == check(Array(bytes[..<end])) ? Array(bytes[magic.count..<end]) : nil
  }

  private static func check(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(8)) }
}
