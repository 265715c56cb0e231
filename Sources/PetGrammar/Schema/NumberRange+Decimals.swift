// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension NumberRange {
  /// Numbers with bounds have so many digits in all where they are near a bound, so that no two of them are the same
  /// `Double`: a reader that rounds does not get past an exclusive bound.
  private static let mostDigits = 15
  private static let mostWhole: UInt64 = 999_999_999_999_999

  /// Numbers without exponents between two bounds.
  static func decimals(in bounds: NumberBounds) throws(GrammarError) -> Expression {
    for bound in [bounds.low, bounds.high].compactMap({ $0 })
    where bound.value.whole.count + bound.value.fraction.count > mostDigits - 1 || bound.value.whole.count > 14 {
      throw .unsupported(
        keyword: "minimum, maximum", pointer: bound.pointer, reason: "a bound of a number has more than 14 digits")
    }
    let wholeDigits = max(bounds.low?.value.whole.count ?? 0, bounds.high?.value.whole.count ?? 0)
    let fraction = mostDigits - max(wholeDigits, 1)
    let zero = NumberBounds.Bound(.zero, isExclusive: false, "")
    var choices: [Expression] = []
    if !(bounds.high?.value.isNegative ?? false) {
      let low = bounds.low.map { $0.value.isNegative ? zero : $0 } ?? zero
      choices.append(magnitudes(from: low, to: bounds.high, fraction))
    }
    let allowsNegative = bounds.low.map { $0.value.isNegative } ?? true
    if allowsNegative {
      // What is above a negative bound is nearer to zero.
      let near = bounds.high.flatMap { $0.value.isNegative ? $0.negated : nil }
      let low = near ?? NumberBounds.Bound(.zero, isExclusive: true, "")
      choices.append(.sequence([.text("-"), magnitudes(from: low, to: bounds.low?.negated, fraction)]))
    }
    return .choice(choices)
  }

  /// Numbers from `low` to `high` without sign; `fraction` is the most digits after the point.
  private static func magnitudes(
    from low: NumberBounds.Bound, to high: NumberBounds.Bound?, _ fraction: Int
  ) -> Expression {
    let first = low.value.wholeNumber
    guard let high else {
      return .choice([
        .sequence([naturals(from: first, to: first), fractions(low, nil, fraction)]),
        .sequence([naturals(from: first + 1, to: mostWhole), fractions(nil, nil, fraction)]),
      ])
    }
    let last = high.value.wholeNumber
    guard first < last else {
      return first == last
        ? .sequence([naturals(from: first, to: first), fractions(low, high, fraction)]) : .nothing
    }
    return .choice([
      .sequence([naturals(from: first, to: first), fractions(low, nil, fraction)]),
      .sequence([naturals(from: first + 1, to: last - 1), fractions(nil, nil, fraction)]),
      .sequence([naturals(from: last, to: last), fractions(nil, high, fraction)]),
    ])
  }

  /// What may follow a whole part that equals those of the bounds that are given: nothing, or a point and digits.
  private static func fractions(
    _ low: NumberBounds.Bound?, _ high: NumberBounds.Bound?, _ most: Int
  ) -> Expression {
    let low = low.map { Edge(digits: $0.value.fraction[...], isExclusive: $0.isExclusive) }
    let high = high.map { Edge(digits: $0.value.fraction[...], isExclusive: $0.isExclusive) }
    var choices: [Expression] = [.sequence([.text("."), digits(low, high, most, mayEnd: false)])]
    if mayEnd(low, high) { choices.append(.empty) }
    return .choice(choices)
  }

  /// A bound whose digits so far were those of the number.
  private struct Edge {
    var digits: ArraySlice<UInt8>
    var isExclusive: Bool
    var next: UInt8 { digits.first ?? 0 }
    var rest: Edge { Edge(digits: digits.dropFirst(), isExclusive: isExclusive) }
  }

  /// Whether the number, with only zeros from here on, is within the bounds.
  private static func mayEnd(_ low: Edge?, _ high: Edge?) -> Bool {
    if let low, !low.digits.isEmpty || low.isExclusive { return false }
    if let high, high.digits.isEmpty && high.isExclusive { return false }
    return true
  }

  /// More digits, at most `most`.
  private static func digits(_ low: Edge?, _ high: Edge?, _ most: Int, mayEnd: Bool) -> Expression {
    let digit = Expression.digits(0, 9)
    if low == nil, high == nil { return .repetition(digit, least: mayEnd ? 0 : 1, most: most) }
    var choices: [Expression] = mayEnd ? [.empty] : []
    let (first, last) = (low?.next ?? 0, high?.next ?? 9)
    guard most > 0, first <= last else { return .choice(choices) }
    for digit in first...last {
      let nextLow = digit == first ? low?.rest : nil
      let nextHigh = digit == last ? high?.rest : nil
      // Digits strictly between the bounds are alike: they are one choice below.
      if nextLow == nil, nextHigh == nil { continue }
      let rest = digits(nextLow, nextHigh, most - 1, mayEnd: Self.mayEnd(nextLow, nextHigh))
      choices.append(.sequence([.digits(digit, digit), rest]))
    }
    let free = (low == nil ? first : first + 1, high == nil ? last : (last == 0 ? 0 : last - 1))
    if free.0 <= free.1, !(high != nil && last == 0) {
      choices.append(.sequence([.digits(free.0, free.1), .repetition(digit, least: 0, most: most - 1)]))
    }
    return .choice(choices)
  }
}

extension NumberBounds.Bound {
  /// The bound of the numbers' opposites.
  fileprivate var negated: Self {
    var value = value
    value.isNegative.toggle()
    return Self(value, isExclusive: isExclusive, pointer)
  }
}

extension Decimal {
  static let zero = Decimal(isNegative: false, whole: [], fraction: [])

  /// The whole part, of at most 19 digits.
  fileprivate var wholeNumber: UInt64 { whole.prefix(19).reduce(0) { $0 * 10 + UInt64($1) } }
}
