// SPDX-License-Identifier: Apache-2.0
import Crypto

/// Names a request by all that its answer depends on: SHA-256, so that two requests never share an answer.
package struct PredictionKey: Sendable, Hashable {
  package static let byteCount = 32
  private let words: SIMD4<UInt64>

  package init(_ digest: SHA256.Digest) {
    words = digest.withUnsafeBytes { Self.words($0) }
  }

  /// Nil unless there are 32 bytes.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    words = Self.words(bytes)
  }

  package var bytes: [UInt8] {
    (0..<4).flatMap { word in withUnsafeBytes(of: words[word].littleEndian, Array.init) }
  }

  private static func words(_ bytes: UnsafeRawBufferPointer) -> SIMD4<UInt64> {
    var words = SIMD4<UInt64>()
    for word in 0..<4 {
      words[word] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self))
    }
    return words
  }

  /// A digest is evenly spread already.
  package func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
}
