// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials

/// An Ed25519 key that catalogs are checked with (RFC 8032). As text one line: `pet-public-key ed25519 BASE64 COMMENT`.
package struct CatalogKey: Sendable, Equatable {
  private static let words = ["pet-public-key", "ed25519"]

  /// 32 hexadecimal digits of the key's SHA-256.
  package let id: String
  /// Whose it is, as the file says.
  package let comment: String
  private let bytes: Data

  init(_ key: Curve25519.Signing.PublicKey, comment: String) {
    bytes = key.rawRepresentation
    id = String(SHA256Hash(digest: SHA256.hash(data: bytes)).description.prefix(32))
    self.comment = comment
  }

  /// nil where the text is no public key.
  init?(text: String) {
    guard let line = KeyLine(text, words: Self.words), line.rest.count <= 1,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: line.bytes)
    else { return nil }
    self.init(key, comment: line.rest.first ?? "")
  }

  var text: String { KeyLine.text(Self.words, bytes, comment) }

  func isValid(_ signature: Data, for content: [UInt8]) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
    return key.isValidSignature(signature, for: content)
  }
}

/// An Ed25519 key that catalogs are signed with. As text one line: `pet-private-key ed25519 BASE64`.
package struct CatalogSigningKey: Sendable {
  static let words = ["pet-private-key", "ed25519"]

  private let key: Curve25519.Signing.PrivateKey

  /// A new one, from the system's random numbers.
  package init() { key = Curve25519.Signing.PrivateKey() }

  /// nil where the text is no private key.
  init?(text: String) {
    guard let line = KeyLine(text, words: Self.words), line.rest.isEmpty,
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: line.bytes)
    else { return nil }
    self.key = key
  }

  var text: String { KeyLine.text(Self.words, key.rawRepresentation, "") }

  package func publicKey(comment: String) -> CatalogKey { CatalogKey(key.publicKey, comment: comment) }

  func signature(of content: [UInt8]) throws -> CatalogSignature {
    CatalogSignature(key: publicKey(comment: "").id, bytes: try key.signature(for: content))
  }
}

/// A signature beside a catalog, over its exact bytes. As text one line: `pet-signature ed25519 KEYID BASE64`.
struct CatalogSignature: Sendable, Equatable {
  private static let words = ["pet-signature", "ed25519"]
  private static let limit = 16

  /// The id of the key that made it.
  let key: String
  let bytes: Data

  init(key: String, bytes: Data) {
    self.key = key
    self.bytes = bytes
  }

  private init?(line: Substring) {
    let parts = line.split(separator: " ").map(String.init)
    guard parts.count == 4, Array(parts[..<2]) == Self.words, let bytes = Data(base64Encoded: parts[3]),
      bytes.count == 64, parts[2].utf8.count == 32, Catalog.isFileName(parts[2])
    else { return nil }
    self.init(key: parts[2], bytes: bytes)
  }

  /// The signatures of a text, one on each line; nil where a line is none, or there is no line.
  static func all(in text: String) -> [CatalogSignature]? {
    let lines = text.split(whereSeparator: \.isNewline)
    let found = lines.compactMap { CatalogSignature(line: $0) }
    return (1...limit).contains(found.count) && found.count == lines.count ? found : nil
  }

  var text: String { (Self.words + [key, bytes.base64EncodedString()]).joined(separator: " ") + "\n" }
}

/// One line: two words, 32 bytes in Base64, and perhaps more.
private struct KeyLine {
  let bytes: Data
  let rest: [String]

  init?(_ text: String, words: [String]) {
    let lines = text.split(whereSeparator: \.isNewline)
    let parts = lines.count == 1 ? lines[0].split(separator: " ").map(String.init) : []
    guard parts.count >= 3, Array(parts[..<2]) == words, let bytes = Data(base64Encoded: parts[2]), bytes.count == 32
    else { return nil }
    self.bytes = bytes
    rest = parts.count > 3 ? [parts[3...].joined(separator: " ")] : []
  }

  static func text(_ words: [String], _ bytes: Data, _ comment: String) -> String {
    (words + [bytes.base64EncodedString()] + (comment.isEmpty ? [] : [comment])).joined(separator: " ") + "\n"
  }
}
