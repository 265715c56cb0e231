// SPDX-License-Identifier: Apache-2.0
extension TOMLReader {
  /// A boolean or a number.
  mutating func word() throws(TOMLError) -> TOMLScalar {
    let start = position
    let first = index
    while let next = peek, Self.isBare(next) || next == "." || next == "+" || next == ":" { advance() }
    guard index > first else { throw TOMLError(position: start, problem: .expected("a value")) }
    let word = String(String.UnicodeScalarView(text[first..<index]))
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "inf", "+inf": return .float(.infinity)
    case "-inf": return .float(-.infinity)
    case "nan", "+nan", "-nan": return .float(.nan)
    default: break
    }
    do throws(TOMLNumber.Problem) {
      return try TOMLNumber.read(word)
    } catch {
      throw TOMLError(position: start, problem: Self.problem(error, word))
    }
  }

  private static func problem(_ problem: TOMLNumber.Problem, _ word: String) -> TOMLError.Problem {
    switch problem {
    case .tooLarge: .integerRange(word)
    case .date: .unsupported("a date or time")
    case .notANumber: .notAValue(word)
    }
  }
}

/// Numbers as TOML writes them: underscores only between digits, no leading zeros.
enum TOMLNumber {
  enum Problem: Error { case notANumber, tooLarge, date }

  static func read(_ word: String) throws(Problem) -> TOMLScalar {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      return try integer(word.dropFirst(2), radix: radix, sign: "")
    }
    let sign = word.prefix { $0 == "+" || $0 == "-" }
    guard sign.count <= 1 else { throw .notANumber }
    let body = word.dropFirst(sign.count)
    if isDate(body) { throw .date }
    let whole = body.prefix { $0 != "." && $0 != "e" && $0 != "E" }
    guard isDigits(whole, radix: 10), whole == "0" || !whole.hasPrefix("0") else { throw .notANumber }
    if whole.count == body.count { return try integer(whole, radix: 10, sign: sign) }
    guard isFloatTail(body.dropFirst(whole.count)), let value = Double(word.filter { $0 != "_" }) else {
      throw .notANumber
    }
    return .float(value)
  }

  private static func integer(
    _ digits: Substring, radix: Int, sign: Substring
  ) throws(Problem) -> TOMLScalar {
    guard isDigits(digits, radix: radix) else { throw .notANumber }
    guard let value = Int64(sign + digits.filter { $0 != "_" }, radix: radix) else { throw .tooLarge }
    return .integer(value)
  }

  /// ".5", "e10", ".5e-10"
  private static func isFloatTail(_ tail: Substring) -> Bool {
    var rest = tail
    if rest.hasPrefix(".") {
      let fraction = rest.dropFirst().prefix { $0 != "e" && $0 != "E" }
      guard isDigits(fraction, radix: 10) else { return false }
      rest = rest.dropFirst(1 + fraction.count)
      if rest.isEmpty { return true }
    }
    rest = rest.dropFirst()
    if rest.hasPrefix("+") || rest.hasPrefix("-") { rest = rest.dropFirst() }
    return isDigits(rest, radix: 10)
  }

  private static func isDigits(_ text: Substring, radix: Int) -> Bool {
    text.split(separator: "_", omittingEmptySubsequences: false).allSatisfy { group in
      !group.isEmpty && group.allSatisfy { $0.isASCII && $0.hexDigitValue.map { $0 < radix } ?? false }
    }
  }

  /// "1979-05-27" and "07:32": four digits and a dash, or two and a colon.
  private static func isDate(_ body: Substring) -> Bool {
    let digits = body.prefix { $0.isASCII && $0.isNumber }.count
    return digits == 4 && body.dropFirst(4).hasPrefix("-") || digits == 2 && body.dropFirst(2).hasPrefix(":")
  }
}
