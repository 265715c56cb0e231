import Crypto
import CryptoExtras
import FoundationEssentials

/// What memories are sealed with: never kept, and of no use without the salt in the file.
public struct MemoryKey: Sendable {
  private enum Secret {
    case bytes([UInt8])
    case passphrase([UInt8])
  }

  static let saltBytes = 32
  private static let keyBytes = 32

  private let secret: Secret

  /// - Throws: ``MemoryError/unfitKey(_:)`` for fewer than 32 bytes, which could be guessed.
  public init(bytes: [UInt8]) throws(MemoryError) {
    guard bytes.count >= Self.keyBytes else { throw .unfitKey("a key file has at least \(Self.keyBytes) bytes") }
    secret = .bytes(bytes)
  }

  /// - Throws: ``MemoryError/unfitKey(_:)`` for an empty one.
  public init(passphrase: String) throws(MemoryError) {
    guard !passphrase.isEmpty else { throw .unfitKey("the passphrase is empty") }
    secret = .passphrase(Array(passphrase.utf8))
  }

  /// The key in a file that only its owner may read, made with random content where there is none.
  /// - Throws: ``MemoryError/unfitKey(_:)`` for a file that others may read, or that is too short or long.
  public init(file path: String) throws(MemoryError) {
    try self.init(bytes: MemoryFile.key(path, freshBytes: Self.keyBytes))
  }

  /// Takes 16 MiB and some 50 ms for a passphrase (scrypt, RFC 7914: N = 2^14, r = 8, p = 1), so that guessing is dear.
  func derived(salt: [UInt8]) throws(MemoryError) -> SymmetricKey {
    switch secret {
    case .bytes(let bytes):
      return HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: Array("pet memory 1".utf8),
        outputByteCount: Self.keyBytes)
    case .passphrase(let bytes):
      do {
        return try KDF.Scrypt.deriveKey(
          from: bytes, salt: salt, outputByteCount: Self.keyBytes, rounds: 1 << 14, blockSize: 8, parallelism: 1)
      } catch {
        throw .unfitKey("scrypt refuses it")
      }
    }
  }
}

/// Seals and opens what is written of facts (ChaCha20-Poly1305, RFC 8439, with random nonces), or leaves it in the clear.
struct FactSeal: Sendable {
  let key: SymmetricKey?

  /// 32 bytes that other files may be sealed with; nil without a key.
  var secret: [UInt8]? {
    key.map { key in
      let derived = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key, info: Array("pet beside memory 1".utf8), outputByteCount: 32)
      return derived.withUnsafeBytes(Array.init)
    }
  }

  /// - Parameter place: what it is and where it belongs; sealed bytes open nowhere else.
  func sealed(_ bytes: Data, place: String) throws -> Data {
    guard let key else { return bytes }
    return try ChaChaPoly.seal(bytes, using: key, authenticating: Array(place.utf8)).combined
  }

  func opened(_ bytes: Data, place: String) throws -> Data {
    guard let key else { return bytes }
    return try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: bytes), using: key, authenticating: Array(place.utf8))
  }
}
