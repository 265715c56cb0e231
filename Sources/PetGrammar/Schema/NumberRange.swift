// SPDX-License-Identifier: Apache-2.0
/// Expressions of all decimal numbers between two.
enum NumberRange {
  private static let digit = Expression.digits(0, 9)

  private static func digits(_ count: Int) -> Expression { .repetition(digit, least: count, most: count) }

  /// Integers from `low` to `high`, without leading zeros; zero without a sign.
  static func integers(from low: Int64, to high: Int64) -> Expression {
    var choices: [Expression] = []
    if low < 0 {
      choices.append(.sequence([.text("-"), naturals(from: max(1, high.magnitude(ifBelow: 0)), to: low.magnitude)]))
    }
    if high >= 0 { choices.append(naturals(from: UInt64(max(low, 0)), to: UInt64(high))) }
    return .choice(choices)
  }

  static func naturals(from low: UInt64, to high: UInt64) -> Expression {
    guard low <= high else { return .nothing }
    let (first, last) = (decimal(low), decimal(high))
    if first.count == last.count { return between(first[...], last[...]) }
    var choices = [atLeast(first[...])]
    for count in first.count + 1..<last.count { choices.append(.sequence([.digits(1, 9), digits(count - 1)])) }
    choices.append(between([1] + [UInt8](repeating: 0, count: last.count - 1)[...], last[...]))
    return .choice(choices)
  }

  private static func decimal(_ number: UInt64) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = number
    repeat {
      digits.append(UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    return digits.reversed()
  }

  /// Numbers of as many digits as both bounds have.
  private static func between(_ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>) -> Expression {
    guard let first = low.first, let last = high.first else { return .empty }
    if low.allSatisfy({ $0 == 0 }), high.allSatisfy({ $0 == 9 }) { return digits(low.count) }
    let (lowRest, highRest) = (low.dropFirst(), high.dropFirst())
    if first == last { return .sequence([.digits(first, first), between(lowRest, highRest)]) }
    var choices: [Expression] = [
      .sequence([.digits(first, first), atLeast(lowRest)]), .sequence([.digits(last, last), atMost(highRest)]),
    ]
    if first + 1 < last { choices.append(.sequence([.digits(first + 1, last - 1), digits(lowRest.count)])) }
    return .choice(choices)
  }

  private static func atLeast(_ low: ArraySlice<UInt8>) -> Expression {
    between(low, [UInt8](repeating: 9, count: low.count)[...])
  }

  private static func atMost(_ high: ArraySlice<UInt8>) -> Expression {
    between([UInt8](repeating: 0, count: high.count)[...], high)
  }
}

extension Int64 {
  /// The distance from zero of a number below `bound`; 0 for others.
  fileprivate func magnitude(ifBelow bound: Int64) -> UInt64 { self < bound ? magnitude : 0 }
}
