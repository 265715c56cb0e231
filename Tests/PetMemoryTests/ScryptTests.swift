// SPDX-License-Identifier: Apache-2.0
import PetMemory
import Testing

/// The first two are of RFC 7914, section 12; the others were made by Python's `hashlib.scrypt`.
@Suite("scrypt")
struct ScryptTests {
  struct Vector: Sendable {
    let passphrase: String
    let salt: String
    let rounds: Int
    let blockSize: Int
    let key: String
  }

  @Test(
    "keys are those of others",
    arguments: [
      Vector(
        passphrase: "", salt: "", rounds: 16, blockSize: 1,
        key: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
          + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
      Vector(
        passphrase: "pleaseletmein", salt: "SodiumChloride", rounds: 16384, blockSize: 8,
        key: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
          + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
      Vector(
        passphrase: "a word ü", salt: "salt and more of it, longer than a block of SHA-256, which has 64 bytes in it",
        rounds: 2, blockSize: 3, key: "4cd05e2c78538fc3be007c9e62c41ed37f8a3c190d99bc974430b1f960d042079a"),
      Vector(
        passphrase: String(repeating: "p", count: 100), salt: "s", rounds: 1 << 17, blockSize: 8,
        key: "bd718219db19dbc8ee15e705de30cac83f1d6868f5de240e1a0c694099f1e879"),
      Vector(passphrase: "q", salt: "", rounds: 1024, blockSize: 5, key: "6e71eee99d76a2"),
    ])
  func keys(_ vector: Vector) {
    let key = Scrypt(rounds: vector.rounds, blockSize: vector.blockSize)
      .key(of: Array(vector.passphrase.utf8), salt: Array(vector.salt.utf8), byteCount: vector.key.utf8.count / 2)
    #expect(key?.map(Self.hex).joined() == vector.key)
  }

  @Test(
    "what is no number of rounds, or more than there is memory, gives no key",
    arguments: [0, 1, 3, -8, 1 << 40, 1 << 62])
  func refused(_ rounds: Int) {
    #expect(Scrypt(rounds: rounds).key(of: [1], salt: [2], byteCount: 32) == nil)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
