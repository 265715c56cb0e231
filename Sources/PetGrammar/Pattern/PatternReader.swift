// SPDX-License-Identifier: Apache-2.0
/// Reads the regular expressions of `pattern` (ECMA-262, with the `u` flag) as far as they are regular:
///
/// characters, `.`, classes with ranges and negation, `\d \w \s` and their opposites, `\t \n \r \f \v \0 \xHH \uHHHH
/// \u{H}`, groups (capturing, named or not), `|`, greedy and lazy `* + ? {m} {m,} {m,n}`, and `^` and `$` at the ends of
/// the whole pattern's alternatives. Look-around, back references, word boundaries, `\p` and `\c` are refused.
struct PatternReader {
  enum Failure: Error {
    case malformed(String)
    case unsupported(String)
  }

  let scalars: [UInt32]
  let limits: GrammarLimits
  var offset = 0
  private var depth = 0

  /// The texts that a pattern finds something in.
  static func automaton(
    _ pattern: [UInt8], pointer: String, limits: GrammarLimits, budget: CompilationBudget
  ) throws(GrammarError) -> CharacterAutomaton {
    let text = String(decoding: pattern, as: UTF8.self)
    var reader = PatternReader(scalars: text.unicodeScalars.map(\.value), limits: limits)
    let expression: Expression
    do throws(Failure) {
      expression = try reader.whole()
    } catch {
      switch error {
      case .malformed(let problem):
        throw .invalidKeyword(
          keyword: "pattern", pointer: pointer, problem: "character \(reader.offset + 1): \(problem)")
      case .unsupported(let what):
        throw .unsupported(keyword: "pattern", pointer: pointer, reason: "character \(reader.offset + 1): \(what)")
      }
    }
    return try CharacterAutomaton(expression, limits: limits, budget: budget)
  }

  private init(scalars: [UInt32], limits: GrammarLimits) {
    self.scalars = scalars
    self.limits = limits
  }

  var next: UInt32? { offset < scalars.count ? scalars[offset] : nil }

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar.value else { return false }
    offset += 1
    return true
  }

  /// Alternatives with their anchors: where there is none, anything may be before or after.
  private mutating func whole() throws(Failure) -> Expression {
    let anything = Expression.repetition(.characters(.all), least: 0, most: nil)
    var choices: [Expression] = []
    repeat {
      let isAtStart = skip("^")
      let middle = try sequence()
      let isAtEnd = skip("$")
      choices.append(.sequence([isAtStart ? .empty : anything, middle, isAtEnd ? .empty : anything]))
    } while skip("|")
    guard next == nil else {
      if next == 0x29 { throw .malformed("a ) without its (") }
      throw .unsupported("an anchor inside the pattern")
    }
    return .choice(choices)
  }

  private mutating func alternatives() throws(Failure) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= limits.nesting else { throw .unsupported("groups nest more than \(limits.nesting) levels") }
    var choices = [try sequence()]
    while skip("|") { choices.append(try sequence()) }
    return .choice(choices)
  }

  private mutating func sequence() throws(Failure) -> Expression {
    var parts: [Expression] = []
    while let part = try atom() {
      guard let (least, most) = try quantifier() else {
        parts.append(part)
        continue
      }
      parts.append(.repetition(part, least: least, most: most))
    }
    return .sequence(parts)
  }

  private mutating func atom() throws(Failure) -> Expression? {
    guard let scalar = next else { return nil }
    switch Unicode.Scalar(scalar) {
    case "|", ")", "^", "$": return nil
    case "(":
      offset += 1
      return try group()
    case "[":
      offset += 1
      return .characters(try characterClass())
    case ".":
      offset += 1
      return .characters(CodePoints([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).inverted)
    case "\\":
      offset += 1
      return .characters(try escape(isInClass: false))
    case "*", "+", "?", "{": throw .malformed("nothing to repeat")
    case "]", "}": throw .malformed("a bracket without its other half")
    default:
      offset += 1
      return .characters(CodePoints([scalar...scalar]))
    }
  }

  private mutating func group() throws(Failure) -> Expression {
    if skip("?"), !skip(":") {
      guard skip("<"), next != 0x3D, next != 0x21 else { throw .unsupported("look-around") }
      while let scalar = next, scalar != 0x3E, scalar != 0x29 { offset += 1 }
      guard skip(">") else { throw .malformed("a group's name is not closed") }
    }
    let inside = try alternatives()
    guard skip(")") else {
      if next == nil { throw .malformed("a group is not closed") }
      throw .unsupported("an anchor inside a group")
    }
    return inside
  }

  private mutating func quantifier() throws(Failure) -> (least: Int, most: Int?)? {
    let bounds: (Int, Int?)
    switch next.flatMap(Unicode.Scalar.init) {
    case "*": bounds = (0, nil)
    case "+": bounds = (1, nil)
    case "?": bounds = (0, 1)
    case "{":
      offset += 1
      let least = try count()
      var most: Int? = least
      if skip(",") { most = next == 0x7D ? nil : try count() }
      guard next == 0x7D else { throw .malformed("expected } after a repetition") }
      guard most.map({ $0 >= least }) ?? true else { throw .malformed("a repetition's bounds are in the wrong order") }
      bounds = (least, most)
    default: return nil
    }
    offset += 1
    // A lazy quantifier finds other matches, but in the same texts.
    _ = skip("?")
    if let scalar = next, scalar == 0x2A || scalar == 0x2B || scalar == 0x3F || scalar == 0x7B {
      throw .malformed("nothing to repeat")
    }
    return bounds
  }

  private mutating func count() throws(Failure) -> Int {
    let start = offset
    var value = 0
    while let scalar = next, (0x30...0x39).contains(scalar) {
      value = value * 10 + Int(scalar - 0x30)
      guard value <= limits.repetitions else { throw .unsupported("more than \(limits.repetitions) repetitions") }
      offset += 1
    }
    guard offset > start else { throw .malformed("expected a number of repetitions") }
    return value
  }
}
