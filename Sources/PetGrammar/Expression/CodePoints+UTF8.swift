// SPDX-License-Identifier: Apache-2.0
/// One byte range after another: a set of byte strings of one length.
typealias ByteRanges = [ClosedRange<UInt8>]

extension CodePoints {
  /// The UTF-8 forms of the members: each member is in exactly one sequence (after Russ Cox's RE2, `AddRange`).
  var utf8: [ByteRanges] {
    var found: [ByteRanges] = []
    for range in ranges { Self.split(range.lowerBound, range.upperBound, &found) }
    return found
  }

  private static func split(_ low: UInt32, _ high: UInt32, _ found: inout [ByteRanges]) {
    for last: UInt32 in [0x7F, 0x7FF, 0xFFFF] where low <= last && last < high {
      split(low, last, &found)
      split(last + 1, high, &found)
      return
    }
    // Where the first bytes differ, the bytes after them must run through all of 80 to BF.
    let continuations = high <= 0x7F ? 0 : high <= 0x7FF ? 1 : high <= 0xFFFF ? 2 : 3
    for index in 0..<continuations {
      let mask = (UInt32(1) << UInt32(6 * (index + 1))) - 1
      guard low & ~mask != high & ~mask else { continue }
      if low & mask != 0 {
        split(low, low | mask, &found)
        split((low | mask) + 1, high, &found)
        return
      }
      if high & mask != mask {
        split(low, (high & ~mask) - 1, &found)
        split(high & ~mask, high, &found)
        return
      }
    }
    found.append(zip(encoded(low), encoded(high)).map { $0...$1 })
  }

  /// The UTF-8 form of one code point.
  static func encoded(_ point: UInt32) -> [UInt8] {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | point >> shift & 0x3F) }
    return switch point {
    case 0...0x7F: [UInt8(point)]
    case 0x80...0x7FF: [UInt8(0xC0 | point >> 6), tail(0)]
    case 0x800...0xFFFF: [UInt8(0xE0 | point >> 12), tail(6), tail(0)]
    default: [UInt8(0xF0 | point >> 18 & 7), tail(12), tail(6), tail(0)]
    }
  }
}
