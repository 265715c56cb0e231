// SPDX-License-Identifier: Apache-2.0
/// A set of Unicode scalar values. Surrogates are never members.
struct CodePoints: Hashable, Sendable {
  /// Ascending, disjoint, not adjacent.
  let ranges: [ClosedRange<UInt32>]

  static let all = CodePoints([0...0x10FFFF])
  static let none = CodePoints([])

  init(_ parts: [ClosedRange<UInt32>]) {
    var clipped: [ClosedRange<UInt32>] = []
    for part in parts {
      if part.lowerBound < 0xD800 { clipped.append(part.lowerBound...min(part.upperBound, 0xD7FF)) }
      let (low, high) = (max(part.lowerBound, 0xE000), min(part.upperBound, 0x10FFFF))
      if low <= high { clipped.append(low...high) }
    }
    clipped.sort { $0.lowerBound < $1.lowerBound }
    var merged: [ClosedRange<UInt32>] = []
    for part in clipped {
      if let last = merged.last, part.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
      } else {
        merged.append(part)
      }
    }
    ranges = merged
  }

  /// The code points of an ASCII text.
  init(ascii text: StaticString) {
    self.init(text.withUTF8Buffer { $0.map { UInt32($0)...UInt32($0) } })
  }

  var isEmpty: Bool { ranges.isEmpty }

  var inverted: CodePoints {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
    return CodePoints(gaps)
  }

  func union(_ other: CodePoints) -> CodePoints { CodePoints(ranges + other.ranges) }
  func intersection(_ other: CodePoints) -> CodePoints { inverted.union(other.inverted).inverted }
  func subtracting(_ other: CodePoints) -> CodePoints { inverted.union(other).inverted }
  func contains(_ point: UInt32) -> Bool { ranges.contains { $0.contains(point) } }
}
