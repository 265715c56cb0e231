// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials

/// Seals and opens what is written of facts: ChaCha20-Poly1305 (RFC 8439) with random nonces, under a key that HKDF (RFC 5869) makes
/// of the store's own key, and of the key that the person gave.
package struct FactSeal: Sendable {
  private let key: SymmetricKey
  private let tableKey: SymmetricKey
  /// 32 bytes that other files may be sealed with.
  let secret: [UInt8]

  /// - Parameter base: what the person's key came to; nil: none was given.
  init(_ own: StoreKey, base: SymmetricKey?, salt: [UInt8]) {
    func derived(_ half: [UInt8], _ info: String) -> SymmetricKey {
      var material = half
      base?.withUnsafeBytes { material += $0 }
      return HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: material), salt: salt, info: Array(info.utf8), outputByteCount: 32)
    }
    key = derived(own.rows, "pet memory 2")
    tableKey = derived(own.rows, "pet memory table 2")
    secret = derived(own.beside, "pet beside memory 2").withUnsafeBytes(Array.init)
  }

  /// - Parameter place: what it is and where it belongs; sealed bytes open nowhere else.
  package func sealed(_ bytes: Data, place: String) throws -> Data {
    try Self.sealed(bytes, place: place, key)
  }

  package func opened(_ bytes: Data, place: String) throws -> Data { try Self.opened(bytes, place: place, key) }

  /// What tells the table of facts from any other: HMAC-SHA256 over the numbers of each row and the tag of its body, which
  /// stands for all of it. O(facts).
  func table(of connection: SQLiteConnection) throws -> Data { Data(try code(of: connection)) }

  func table(of connection: SQLiteConnection, matches code: Data?) throws -> Bool {
    guard let code else { return false }
    return try self.code(of: connection) == code
  }

  private func code(of connection: SQLiteConnection) throws -> HMAC<SHA256>.MAC {
    var code = HMAC<SHA256>(key: tableKey)
    let row = try SQLiteStatement(
      "SELECT id, last_used, uses, expires, superseded_by, substr(body, -16) FROM fact ORDER BY id", on: connection)
    while try row.step() {
      var bytes: [UInt8] = []
      for column in Int32(0)..<5 {
        let number = try row.integer(column)
        bytes.append(number == nil ? 0 : 1)
        withUnsafeBytes(of: (number ?? 0).littleEndian) { bytes += $0 }
      }
      let tag = try row.blob(5) ?? Data()
      bytes.append(UInt8(truncatingIfNeeded: tag.count))
      code.update(data: bytes + tag)
    }
    return code.finalize()
  }

  static func sealed(_ bytes: Data, place: String, _ key: SymmetricKey) throws -> Data {
    try ChaChaPoly.seal(bytes, using: key, authenticating: Array(place.utf8)).combined
  }

  static func opened(_ bytes: Data, place: String, _ key: SymmetricKey) throws -> Data {
    try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: bytes), using: key, authenticating: Array(place.utf8))
  }
}
