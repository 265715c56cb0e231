// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials

/// A person's key for sealing memories: never stored, and useless without the salt in the file and the store's own key.
public struct MemoryKey: Sendable {
  private enum Secret {
    case bytes([UInt8])
    case passphrase([UInt8])
  }

  static let saltBytes = 32
  /// scrypt's N where a store is sealed anew.
  static let rounds = 1 << 17
  /// N of stores of the first version, the least that is believed, and the most: 1 GiB.
  static let formerRounds = 1 << 14
  static let mostRounds = 1 << 20
  /// Letters of a passphrase that may seal a store anew.
  package static let leastLetters = 8
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
    do throws(MemoryError) {
      self = try MemoryKey(bytes: MemoryFile.key(path, freshBytes: Self.keyBytes))
    } catch {
      guard case .unfitKey(let reason) = error else { throw error }
      throw .unfitKey("\(path): \(reason)")
    }
  }

  /// Refuses a passphrase that could be guessed; one that seals a store already opens it all the same.
  /// - Throws: ``MemoryError/unfitKey(_:)``.
  func checkStrength() throws(MemoryError) {
    guard case .passphrase(let bytes) = secret else { return }
    guard String(decoding: bytes, as: UTF8.self).count >= Self.leastLetters else {
      throw .unfitKey("a passphrase has at least \(Self.leastLetters) characters; take a longer one")
    }
  }

  /// Takes 128 MiB and some 400 ms for a passphrase (scrypt, RFC 7914: N = 2^17, r = 8, p = 1), so that guessing is dear.
  /// - Parameter rounds: N.
  func derived(salt: [UInt8], rounds: Int) throws(MemoryError) -> SymmetricKey {
    switch secret {
    case .bytes(let bytes):
      return HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: bytes), salt: salt, info: Array("pet memory 1".utf8),
        outputByteCount: Self.keyBytes)
    case .passphrase(let bytes):
      guard let key = Scrypt(rounds: rounds).key(of: bytes, salt: salt, byteCount: Self.keyBytes) else {
        throw .unfitKey("there is no memory left for scrypt")
      }
      return SymmetricKey(data: key)
    }
  }
}
