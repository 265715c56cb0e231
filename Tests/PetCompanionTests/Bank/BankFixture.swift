// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

import PetCompanion

/// A small bank of `Fixtures/make_bank_goldens.py`, and memory to damage it in.
enum BankFixture {
  final class Memory: @unchecked Sendable {  // written before it is shared
    let bytes: UnsafeRawBufferPointer

    init(_ content: [UInt8]) {
      // At an odd address: a mapping may begin anywhere in a file.
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count + 1, alignment: 16)
      UnsafeMutableRawBufferPointer(rebasing: memory[1...]).copyBytes(from: content)
      bytes = UnsafeRawBufferPointer(memory)
    }

    deinit { bytes.deallocate() }
  }

  static func data(_ name: String) throws -> Data {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Data(contentsOf: tests.appending(path: "Fixtures").appending(path: name))
  }

  static func bytes() throws -> [UInt8] { Array(try data("bank.bin")) }

  static func bank() throws -> ReplyBank { try read(bytes()) }

  static func read(_ content: [UInt8]) throws(BankError) -> ReplyBank {
    let memory = Memory(content)
    return try ReplyBank(UnsafeRawBufferPointer(rebasing: memory.bytes[1...]), keeping: memory)
  }

  /// With a checksum that is right again.
  static func signed(_ content: [UInt8]) -> [UInt8] {
    guard content.count > 12 else { return content }
    var content = content
    let crc = content.withUnsafeBytes { CRC32.of(UnsafeRawBufferPointer(rebasing: $0[12...])) }
    for byte in 0..<4 { content[8 + byte] = UInt8(truncatingIfNeeded: crc >> (8 * UInt32(byte))) }
    return content
  }
}
