// SPDX-License-Identifier: Apache-2.0
import SeededGenerator

/// Changes inputs at random, the same way for the same seed: what libFuzzer does with coverage to guide it, a test does blindly.
struct Mutator {
  private let seeds: [[UInt8]]
  private var random: SeededGenerator
  /// Larger ones are cut.
  private static let longest = 1 << 16
  /// Where sizes wrap, signs turn and limits lie.
  private static let edges: [UInt64] = [
    0, 1, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000,
    0xFFFF_FFFF, 1 << 32, 1 << 42, 1 << 61, 1 << 62, UInt64(Int64.max), 1 << 63, .max - 7, .max,
  ]

  init(_ seeds: [[UInt8]], seed: UInt64) {
    self.seeds = seeds
    random = SeededGenerator(seed: seed)
  }

  mutating func next() -> [UInt8] {
    var bytes = seeds.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...5, using: &random) { change(&bytes) }
    return Array(bytes.prefix(Self.longest))
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    // Headers decide more than what comes after them.
    let reach = Bool.random(using: &random) ? min(bytes.count, 256) : bytes.count
    let place = reach == 0 ? 0 : Int.random(in: 0..<reach, using: &random)
    let length = min(bytes.count - place, 1 << Int.random(in: 0...6, using: &random))
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(place..<place + length)
    case 3: bytes.insert(contentsOf: Array(bytes[place..<place + length]), at: place)
    case 4: bytes.removeSubrange(place...)
    case 5:
      let other = seeds.randomElement(using: &random) ?? []
      let from = other.isEmpty ? 0 : Int.random(in: 0..<other.count, using: &random)
      bytes.insert(contentsOf: other[from...].prefix(64), at: place)
    case 6:
      let digits = Array("\(Self.edges.randomElement(using: &random) ?? 0)".utf8)
      bytes.replaceSubrange(place..<place + length, with: digits)
    default:
      let width = [1, 2, 4, 8].randomElement(using: &random) ?? 8
      let value = Self.edges.randomElement(using: &random) ?? 0
      let end = min(bytes.count, place + width)
      withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(place..<end, with: $0.prefix(width)) }
    }
  }
}
