// SPDX-License-Identifier: Apache-2.0
import PetJSON

extension SchemaCompiler {
  /// The tightest of all bounds.
  func bounds(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> NumberBounds {
    var bounds = NumberBounds()
    for node in nodes {
      if let number = try node.number("minimum") { bounds.raise(to: .init(number, isExclusive: false, node.pointer)) }
      if let number = try node.number("exclusiveMinimum") {
        bounds.raise(to: .init(number, isExclusive: true, node.pointer))
      }
      if let number = try node.number("maximum") { bounds.lower(to: .init(number, isExclusive: false, node.pointer)) }
      if let number = try node.number("exclusiveMaximum") {
        bounds.lower(to: .init(number, isExclusive: true, node.pointer))
      }
    }
    return bounds
  }

  func integer(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Expression {
    guard let (low, high) = try bounds(nodes).integers else { return .nothing }
    return try shared("integer \(low) \(high)") { () throws(GrammarError) in
      NumberRange.integers(from: low, to: high)
    }
  }

  func number(_ nodes: [SchemaDocument.Node]) throws(GrammarError) -> Expression {
    let bounds = try bounds(nodes)
    guard bounds.low != nil || bounds.high != nil else {
      return try shared("number") { () throws(GrammarError) in Self.anyNumber }
    }
    return try NumberRange.decimals(in: bounds)
  }

  private static let anyNumber: Expression = {
    let digit = Expression.digits(0, 9)
    let whole = Expression.choice([
      .text("0"), .sequence([.digits(1, 9), .repetition(digit, least: 0, most: 17)]),
    ])
    let fraction = Expression.sequence([.text("."), .repetition(digit, least: 1, most: 17)])
    let exponent = Expression.sequence([
      .any(of: "eE"), .optional(.any(of: "+-")), .repetition(digit, least: 1, most: 2),
    ])
    return .sequence([.optional(.text("-")), whole, .optional(fraction), .optional(exponent)])
  }()
}

/// Bounds of a number, from the tightest of the schemas that must hold.
struct NumberBounds {
  struct Bound {
    var value: Decimal
    var isExclusive: Bool
    /// The schema that set it.
    var pointer: String

    init(_ value: Decimal, isExclusive: Bool, _ pointer: String) {
      self.value = value
      self.isExclusive = isExclusive
      self.pointer = pointer
    }
  }

  private(set) var low: Bound?
  private(set) var high: Bound?

  mutating func raise(to bound: Bound) {
    guard let low, bound.value < low.value || (bound.value == low.value && !bound.isExclusive) else {
      low = bound
      return
    }
  }

  mutating func lower(to bound: Bound) {
    guard let high, high.value < bound.value || (bound.value == high.value && !bound.isExclusive) else {
      high = bound
      return
    }
  }

  func contains(_ number: Decimal) -> Bool {
    if let low, number < low.value || (low.isExclusive && number == low.value) { return false }
    if let high, high.value < number || (high.isExclusive && number == high.value) { return false }
    return true
  }

  /// The least and the greatest integer of `Int64` within the bounds; nil where there is none.
  var integers: (Int64, Int64)? {
    var (least, most) = (Int64.min, Int64.max)
    if let low {
      if let value = low.value.truncated {
        // Truncation goes up for numbers below zero.
        let isBelow = low.value.isInteger ? low.isExclusive : !low.value.isNegative
        let (next, overflow) = value.addingReportingOverflow(isBelow ? 1 : 0)
        guard !overflow else { return nil }
        least = next
      } else if !low.value.isNegative {
        return nil
      }
    }
    if let high {
      if let value = high.value.truncated {
        let isAbove = high.value.isInteger ? high.isExclusive : high.value.isNegative
        let (next, overflow) = value.subtractingReportingOverflow(isAbove ? 1 : 0)
        guard !overflow else { return nil }
        most = next
      } else if high.value.isNegative {
        return nil
      }
    }
    return least <= most ? (least, most) : nil
  }
}
