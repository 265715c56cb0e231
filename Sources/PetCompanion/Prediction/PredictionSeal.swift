// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials

/// Makes what is on disk unreadable without the secret (ChaCha20-Poly1305, RFC 8439), and what others wrote there useless.
package struct PredictionSeal: Sendable {
  /// Why a secret is refused.
  package enum Failure: Error, Equatable {
    /// In bytes; at least 32 are needed.
    case shortSecret(Int)
  }

  /// Nonce and tag.
  package static let overhead = 28
  private static let purpose = Array("pet prediction cache 1".utf8)
  private let key: SymmetricKey

  /// - Parameter secret: 32 random bytes or more, kept by the caller in a safe place. It is not used as it is, so that other files
  ///   may be sealed with the same.
  /// - Throws: ``Failure/shortSecret(_:)``.
  package init(secret: [UInt8]) throws(Failure) {
    guard secret.count >= 32 else { throw .shortSecret(secret.count) }
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Self.purpose, outputByteCount: 32)
  }

  /// Nil where the system's cryptography fails.
  package func seal(_ bytes: [UInt8]) -> [UInt8]? {
    (try? ChaChaPoly.seal(bytes, using: key, authenticating: Self.purpose)).map { Array($0.combined) }
  }

  /// Nil unless they were sealed with the same secret, and not changed since.
  package func open(_ bytes: [UInt8]) -> [UInt8]? {
    guard let box = try? ChaChaPoly.SealedBox(combined: bytes),
      let opened = try? ChaChaPoly.open(box, using: key, authenticating: Self.purpose)
    else { return nil }
    return Array(opened)
  }
}
