// SPDX-License-Identifier: Apache-2.0
import SeededGenerator
import Testing

import PetCompanion

@Suite("A damaged reply bank")
struct BankFileTests {
  @Test(
    "the checksum is zlib's",
    arguments: [("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926)] as [(String, UInt32)])
  func checksum(text: String, crc: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes(CRC32.of) == crc)
  }

  @Test("cut off anywhere, it is refused as truncated")
  func truncated() throws {
    let whole = try BankFixture.bytes()
    for count in [0, 7, 8, 12, 95, 96, 97, whole.count / 2, whole.count - 1] {
      #expect(throws: BankError.self) { try BankFixture.read(Array(whole.prefix(count))) }
    }
    #expect(throws: BankError.truncated(expected: whole.count, found: whole.count + 1)) {
      try BankFixture.read(whole + [0])
    }
  }

  @Test("another file, or one changed byte, is refused")
  func changed() throws {
    var bytes = try BankFixture.bytes()
    bytes[0] ^= 1
    #expect(throws: BankError.notABank) { try BankFixture.read(bytes) }
    bytes[0] ^= 1
    var numbers = SeededGenerator(seed: 3)
    for _ in 0..<40 {
      let place = Int.random(in: 8..<bytes.count, using: &numbers)
      bytes[place] ^= 0x10
      #expect(throws: BankError.self) { try BankFixture.read(bytes) }
      bytes[place] ^= 0x10
    }
  }

  @Test("counts out of range are named")
  func counts() throws {
    let whole = try BankFixture.bytes()
    let names = ["exchanges", "width", "words", "buckets", "hashes", "curve", "text", "answer"]
    for (index, name) in names.enumerated() {
      for value: UInt32 in index < 7 ? [0, .max] : [1001, .max] {
        var bytes = whole
        for byte in 0..<4 { bytes[12 + 4 * index + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(byte))) }
        #expect(throws: BankError.count(name: name, value: Int(value))) {
          try BankFixture.read(BankFixture.signed(bytes))
        }
      }
    }
  }

  @Test("whatever is changed under a right checksum is refused or read without harm")
  func hostile() throws {
    var numbers = SeededGenerator(seed: 11)
    let whole = try BankFixture.bytes()
    var refused = 0
    for round in 0..<60 {
      var bytes = whole
      // In the header, or anywhere; the text and the records are at the end.
      let range = [12..<96, 96..<bytes.count, (bytes.count / 2)..<bytes.count][round % 3]
      for _ in 0..<(1 + round % 4) {
        bytes[Int.random(in: range, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
      }
      guard let bank = try? BankFixture.read(BankFixture.signed(bytes)) else {
        refused += 1
        continue
      }
      for message in ["hello you", "are you hungry", "my cat is sick"] {
        let found = bank.lookUp(message, pet: "mochi", state: PetState())
        #expect(found.matches.allSatisfy { (0...1).contains($0.closeness) })
      }
    }
    #expect(refused > 10 && refused < 60)
  }
}
