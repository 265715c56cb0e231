// SPDX-License-Identifier: Apache-2.0
import Crypto
import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// scrypt (RFC 7914) with p = 1: a key of a passphrase that costs whoever guesses as much memory as whoever knows it. swift-crypto has it
/// in CryptoExtras alone, which would add 1.4 MB to each program.
package struct Scrypt {
  private let rounds: Int
  private let blockSize: Int

  /// - Parameters:
  ///   - rounds: N, blocks of memory, a power of two.
  ///   - blockSize: r, pairs of 64 bytes that a block has.
  package init(rounds: Int, blockSize: Int = 8) {
    self.rounds = rounds
    self.blockSize = blockSize
  }

  private static let vectorsOfUnit = 4
  private var vectorsOfBlock: Int { 2 * blockSize * Self.vectorsOfUnit }
  private var bytesOfBlock: Int { 128 * blockSize }

  /// O(N · r): 128 · N · r bytes are written once and read once.
  /// - Returns: nil where the system has no such memory left, or N is none.
  package func key(of passphrase: [UInt8], salt: [UInt8], byteCount: Int) -> [UInt8]? {
    let (size, overflows) = bytesOfBlock.multipliedReportingOverflow(by: rounds)
    guard rounds > 1, rounds.nonzeroBitCount == 1, !overflows, let memory = ScratchMemory(byteCount: size)
    else { return nil }
    var block = Self.stretched(passphrase, salt: salt, byteCount: bytesOfBlock)
    mix(&block, memory.words)
    return Self.stretched(passphrase, salt: block, byteCount: byteCount)
  }

  /// PBKDF2 (RFC 8018) by HMAC-SHA-256, of a single round.
  private static func stretched(_ passphrase: [UInt8], salt: [UInt8], byteCount: Int) -> [UInt8] {
    let key = SymmetricKey(data: passphrase)
    var out: [UInt8] = []
    var number: UInt32 = 0
    while out.count < byteCount {
      number += 1
      var code = HMAC<SHA256>(key: key)
      code.update(data: salt)
      code.update(data: withUnsafeBytes(of: number.bigEndian, Array.init))
      out += Array(code.finalize())
    }
    return Array(out.prefix(byteCount))
  }

  /// ROMix: writes all states of the block, then mixes in those that it asks for itself.
  private func mix(_ bytes: inout [UInt8], _ memory: UnsafeMutableRawPointer) {
    let count = vectorsOfBlock
    let states = memory.bindMemory(to: SIMD4<UInt32>.self, capacity: count * rounds)
    var words = bytes.withUnsafeBytes { raw in
      (0..<bytes.count / 4).map { UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }
    withUnsafeTemporaryAllocation(of: SIMD4<UInt32>.self, capacity: 2 * count) { room in
      guard let block = room.baseAddress else { return }
      let other = block + count
      for vector in 0..<count { block[vector] = Self.diagonal(vector % 4) { words[vector / 4 * 16 + $0] } }
      for round in 0..<rounds {
        (states + round * count).update(from: block, count: count)
        mixBlock(block, other)
      }
      for _ in 0..<rounds {
        // Words of the last unit say which.
        let state = states + Int(block[count - Self.vectorsOfUnit].x & UInt32(truncatingIfNeeded: rounds - 1)) * count
        for vector in 0..<count { block[vector] ^= state[vector] }
        mixBlock(block, other)
      }
      for vector in 0..<count {
        for lane in 0..<4 { words[vector / 4 * 16 + Self.place(vector % 4, lane)] = block[vector][lane] }
      }
    }
    bytes = words.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
  }

  /// BlockMix: the units in turn go through Salsa20/8; even ones come first, then odd ones.
  private func mixBlock(_ block: UnsafeMutablePointer<SIMD4<UInt32>>, _ other: UnsafeMutablePointer<SIMD4<UInt32>>) {
    let units = 2 * blockSize
    var unit = SalsaUnit(block + (units - 1) * 4)
    for number in 0..<units {
      unit.mix(block + number * 4)
      unit.write(other + ((number & 1) * blockSize + number / 2) * 4)
    }
    block.update(from: other, count: units * 4)
  }

  /// Where a word of a unit is among its 16: Salsa20 works on the diagonals of a square of four by four, each of which is a vector here.
  private static func place(_ vector: Int, _ lane: Int) -> Int { (vector * 4 + lane) * 5 % 16 }

  private static func diagonal(_ vector: Int, _ word: (Int) -> UInt32) -> SIMD4<UInt32> {
    SIMD4(word(place(vector, 0)), word(place(vector, 1)), word(place(vector, 2)), word(place(vector, 3)))
  }
}

/// 64 bytes, as the four diagonals of Salsa20's square.
private struct SalsaUnit {
  private var a, b, c, d: SIMD4<UInt32>

  init(_ place: UnsafePointer<SIMD4<UInt32>>) {
    (a, b, c, d) = (place[0], place[1], place[2], place[3])
  }

  func write(_ place: UnsafeMutablePointer<SIMD4<UInt32>>) {
    (place[0], place[1], place[2], place[3]) = (a, b, c, d)
  }

  /// Salsa20/8 of this and another.
  mutating func mix(_ other: UnsafePointer<SIMD4<UInt32>>) {
    a ^= other[0]
    b ^= other[1]
    c ^= other[2]
    d ^= other[3]
    let (a0, b0, c0, d0) = (a, b, c, d)
    for _ in 0..<4 {
      b ^= Self.turned(a &+ d, 7)
      c ^= Self.turned(b &+ a, 9)
      d ^= Self.turned(c &+ b, 13)
      a ^= Self.turned(d &+ c, 18)
      (b, c, d) = (SIMD4(b.w, b.x, b.y, b.z), SIMD4(c.z, c.w, c.x, c.y), SIMD4(d.y, d.z, d.w, d.x))
      d ^= Self.turned(a &+ b, 7)
      c ^= Self.turned(d &+ a, 9)
      b ^= Self.turned(c &+ d, 13)
      a ^= Self.turned(b &+ c, 18)
      (b, c, d) = (SIMD4(b.y, b.z, b.w, b.x), SIMD4(c.z, c.w, c.x, c.y), SIMD4(d.w, d.x, d.y, d.z))
    }
    a &+= a0
    b &+= b0
    c &+= c0
    d &+= d0
  }

  private static func turned(_ vector: SIMD4<UInt32>, _ bits: UInt32) -> SIMD4<UInt32> {
    vector &<< SIMD4(repeating: bits) | vector &>> SIMD4(repeating: 32 - bits)
  }
}

/// Memory of zeros that goes back to the system unread by others.
private final class ScratchMemory {
  let words: UnsafeMutableRawPointer
  private let byteCount: Int

  /// - Returns: nil where the system has none left.
  init?(byteCount: Int) {
    guard byteCount > 0, let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED
    else { return nil }
    words = memory
    self.byteCount = byteCount
  }

  deinit { munmap(words, byteCount) }
}
