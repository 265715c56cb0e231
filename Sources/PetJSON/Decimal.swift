// SPDX-License-Identifier: Apache-2.0
/// A JSON number exactly, as digits with a decimal point: nothing is rounded.
package struct Decimal: Hashable, Comparable, Sendable {
  package var isNegative: Bool
  /// Digits 0 to 9 before and after the point, without zeros that say nothing. Zero has none.
  package var whole: [UInt8]
  package var fraction: [UInt8]

  package static let mostDigits = 400

  package init(isNegative: Bool, whole: [UInt8], fraction: [UInt8]) {
    self.isNegative = isNegative
    self.whole = whole
    self.fraction = fraction
  }

  /// Nil where the number has more than `mostDigits` digits on a side of its point.
  package init?(_ text: [UInt8]) {
    isNegative = text.first == UInt8(ascii: "-")
    var digits: [UInt8] = []
    var point: Int?
    var exponent = 0
    var rest = text.dropFirst(isNegative ? 1 : 0)
    while let byte = rest.popFirst() {
      if (0x30...0x39).contains(byte) {
        digits.append(byte - 0x30)
      } else if byte == UInt8(ascii: ".") {
        point = digits.count
      } else {
        guard let value = Int(String(decoding: rest, as: UTF8.self)), value.magnitude <= Self.mostDigits
        else { return nil }
        exponent = value
        break
      }
    }
    let place = (point ?? digits.count) + exponent
    guard digits.count <= Self.mostDigits, abs(place) <= 2 * Self.mostDigits else { return nil }
    if place < 0 { digits = [UInt8](repeating: 0, count: -place) + digits }
    if place > digits.count { digits += [UInt8](repeating: 0, count: place - digits.count) }
    whole = Array(digits[..<max(place, 0)].drop { $0 == 0 })
    fraction = Array(digits[max(place, 0)...])
    while fraction.last == 0 { fraction.removeLast() }
    if isZero { isNegative = false }
  }

  package var isZero: Bool { whole.isEmpty && fraction.isEmpty }
  package var isInteger: Bool { fraction.isEmpty }
  /// The number without its fraction, where that is an `Int64`.
  package var truncated: Int64? {
    let digits = (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole.map(String.init).joined())
    return Int64(digits)
  }

  package static func < (left: Decimal, right: Decimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
  }

  /// Compares without signs.
  private func isSmaller(than other: Decimal) -> Bool {
    if whole.count != other.whole.count { return whole.count < other.whole.count }
    if whole != other.whole { return whole.lexicographicallyPrecedes(other.whole) }
    return fraction.lexicographicallyPrecedes(other.fraction)
  }
}
