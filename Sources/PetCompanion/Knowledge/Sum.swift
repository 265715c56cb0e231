// SPDX-License-Identifier: Apache-2.0
/// A sum that a person asks for: "what is 7 plus 6", "whats twelve times 12?", "half of 18". Small language models get most of
/// them wrong.
struct Sum: Sendable, Equatable {
  enum Operation: Sendable, Equatable {
    case plus, minus, times, over
  }

  /// Longer ones are left to others.
  private static let mostTerms = 4
  private static let longestMessage = 120

  private let terms: [Int]
  private let operations: [Operation]
  /// Whether a fraction may be meant.
  private let isSlashed: Bool

  /// Nil for a message that asks for anything else, or for more. Complexity: linear in the message.
  init?(_ message: String) {
    guard message.utf8.count <= Self.longestMessage, let tokens = Self.tokens(message) else { return nil }
    var reader = Reader(tokens: tokens)
    guard let sum = reader.sum(), reader.isAsked else { return nil }
    self = sum
  }

  private init(_ terms: [Int], _ operations: [Operation], isSlashed: Bool = false) {
    (self.terms, self.operations, self.isSlashed) = (terms, operations, isSlashed)
  }

  /// "7 plus 6 is 13." Nil where it leads too far.
  var answer: String? {
    let words = zip(operations, terms.dropFirst()).map { " \($0.word) \($1)" }.joined()
    let question = "\(terms[0])\(words)"
    if zip(operations, terms.dropFirst()).contains(where: { $0 == .over && $1 == 0 }) {
      return "Nobody can divide by zero."
    }
    // A single division may leave something over.
    if terms.count == 2, operations == [.over], !isSlashed, terms[1] > 0, terms[0] % terms[1] != 0 {
      return "\(question) is \(terms[0] / terms[1]), and \(terms[0] % terms[1]) left over."
    }
    return value.map { "\(question) is \($0)." }
  }

  /// Products and quotients first. Nil where it is no whole number, or too large.
  private var value: Int? {
    var sums = [terms[0]]
    var signs: [Operation] = []
    for (operation, term) in zip(operations, terms.dropFirst()) {
      guard let last = sums.last else { return nil }
      switch operation {
      case .plus, .minus:
        signs.append(operation)
        sums.append(term)
      case .times:
        let (product, overflow) = last.multipliedReportingOverflow(by: term)
        guard !overflow else { return nil }
        sums[sums.count - 1] = product
      case .over:
        guard term != 0, last % term == 0 else { return nil }
        sums[sums.count - 1] = last / term
      }
    }
    var total = sums[0]
    for (sign, sum) in zip(signs, sums.dropFirst()) {
      let (next, overflow) =
        sign == .plus ? total.addingReportingOverflow(sum) : total.subtractingReportingOverflow(sum)
      guard !overflow else { return nil }
      total = next
    }
    return total
  }

  private enum Token: Equatable {
    case number(Int)
    case word(String)
    case sign(Character)
  }

  /// Nil where there are other signs, or numbers that are too long.
  private static func tokens(_ message: String) -> [Token]? {
    var tokens: [Token] = []
    var rest = message.lowercased().replacing("\u{2019}", with: "'")[...]
    while let first = rest.first {
      if first.isASCII, first.isNumber {
        var digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "," }
        if digits.last == "," { digits.removeLast() }
        let number = digits.filter { $0 != "," }
        // "1,000" but not "1,2,3".
        let groups = digits.split(separator: ",", omittingEmptySubsequences: false)
        guard number.count <= 9, groups.count == 1 || groups.dropFirst().allSatisfy({ $0.count == 3 }),
          let value = Int(number)
        else { return nil }
        tokens.append(.number(value))
        rest = rest.dropFirst(digits.count)
      } else if first.isASCII, first.isLetter {
        let word = rest.prefix { $0.isASCII && $0.isLetter || $0 == "'" }
        // "12 x 12", "3x4".
        tokens.append(word == "x" ? .sign("x") : .word(word.filter { $0 != "'" }))
        rest = rest.dropFirst(word.count)
        // "Twenty-one".
        if rest.first == "-", rest.dropFirst().first?.isLetter == true { rest.removeFirst() }
      } else {
        if "+-*/=?\u{D7}\u{F7}\u{2212}".contains(first) {
          tokens.append(.sign(first))
        } else if !first.isWhitespace, !",.!:".contains(first) {
          return nil
        }
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private struct Reader {
    private static let units = [
      "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
      "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ]
    private static let tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    /// What may stand beside a sum that is all that a message asks for.
    private static let fillers = Set([
      "what", "whats", "wots", "wat", "is", "how", "much", "many", "does", "do", "make", "makes", "equal", "equals",
      "are", "the",
      "tell", "me", "please", "pls", "quick", "quickly", "hey", "hi", "ok", "okay", "so", "and", "can", "you", "u",
      "work",
      "out", "calculate", "solve", "know", "i", "need", "help", "with", "my", "maths", "math", "homework", "sum",
      "answer",
      "to", "of", "say", "whatd", "would", "be", "then", "now", "guess", "question",
    ]).union(PersonaCatalog.builtInNames)
    private static let asking: Set<String> = [
      "what", "whats", "wots", "wat", "how", "calculate", "solve", "tell", "work", "equal", "equals", "makes",
    ]

    let tokens: [Token]
    private var place = 0
    /// Whether it is a sum without words beside it: "7-1" alone may be a score.
    private var isSure = false
    private var used = 0..<0

    init(tokens: [Token]) { self.tokens = tokens }

    /// Whether the rest of the message asks for it, and for nothing else: "7-1" alone may be a score.
    var isAsked: Bool {
      let others = tokens[..<used.lowerBound] + tokens[used.upperBound...]
      let words = others.compactMap { if case .word(let word) = $0 { word } else { nil } }
      let signs = others.compactMap { if case .sign(let sign) = $0 { sign } else { nil } }
      guard others.count == words.count + signs.count, words.allSatisfy(Self.fillers.contains),
        signs.allSatisfy({ "=?".contains($0) })
      else { return false }
      return isSure || !signs.isEmpty || words.contains(where: Self.asking.contains)
    }

    /// The first sum that there is.
    mutating func sum() -> Sum? {
      for start in tokens.indices {
        place = start
        isSure = false
        guard let sum = multiple() ?? chain() else { continue }
        used = start..<place
        return sum
      }
      return nil
    }

    /// "half of 18", "double 7".
    private mutating func multiple() -> Sum? {
      let begin = place
      isSure = true
      if take("half"), take("of"), let number = number() { return Sum([number, 2], [.over]) }
      place = begin
      if take("double") || take("twice"), let number = number() { return Sum([number, 2], [.times]) }
      place = begin
      isSure = false
      return nil
    }

    private mutating func chain() -> Sum? {
      guard let first = number() else { return nil }
      var (terms, operations) = ([first], [Operation]())
      while terms.count < Sum.mostTerms {
        let before = place
        guard let operation = operation(), let next = number() else {
          place = before
          break
        }
        operations.append(operation)
        terms.append(next)
      }
      return operations.isEmpty ? nil : Sum(terms, operations, isSlashed: tokens[..<place].contains(.sign("/")))
    }

    private mutating func operation() -> Operation? {
      guard place < tokens.count else { return nil }
      switch tokens[place] {
      case .sign("+"), .word("plus"): return step(.plus, isPlain: true)
      case .sign("*"), .sign("\u{D7}"), .sign("x"), .word("times"): return step(.times, isPlain: true)
      case .sign("\u{F7}"): return step(.over, isPlain: true)
      // A score, a date; "9/11".
      case .sign("-"), .sign("\u{2212}"): return step(.minus, isPlain: false)
      case .sign("/"): return step(.over, isPlain: false)
      case .word("minus"): return step(.minus, isPlain: true)
      case .word("take"):
        let minus = step(.minus, isPlain: true)
        _ = take("away")
        return minus
      case .word("multiplied"): return by(.times)
      case .word("divided"): return by(.over)
      default: return nil
      }
    }

    private mutating func step(_ operation: Operation, isPlain: Bool) -> Operation {
      place += 1
      isSure = isSure || isPlain
      return operation
    }

    private mutating func by(_ operation: Operation) -> Operation? {
      place += 1
      guard take("by") else { return nil }
      isSure = true
      return operation
    }

    private mutating func take(_ word: String) -> Bool {
      guard place < tokens.count, tokens[place] == .word(word) else { return false }
      place += 1
      return true
    }

    private mutating func number() -> Int? {
      guard place < tokens.count else { return nil }
      if case .number(let value) = tokens[place] {
        place += 1
        return value
      }
      return spelled()
    }

    /// "seven", "twenty one", "a hundred and five", "two thousand".
    private mutating func spelled() -> Int? {
      let begin = place
      if take("a") {
        guard place < tokens.count, tokens[place] == .word("hundred") || tokens[place] == .word("thousand") else {
          place = begin
          return nil
        }
      }
      var (total, part, isAny) = (0, begin < place ? 1 : 0, false)
      while place < tokens.count, case .word(let word) = tokens[place] {
        if let unit = Self.units.firstIndex(of: word), part % (unit < 10 ? 10 : 100) == 0, !isAny || unit > 0 {
          part += unit
        } else if let ten = Self.tens.firstIndex(of: word), part % 100 == 0 {
          part += 10 * (ten + 2)
        } else if word == "hundred", (1..<10).contains(part) {
          part *= 100
        } else if word == "thousand", (1..<1000).contains(part), total == 0 {
          (total, part) = (1000 * part, 0)
        } else if word == "and", isAny, part % 100 == 0, place + 1 < tokens.count, isSpelled(tokens[place + 1]) {
          place += 1
          continue
        } else {
          break
        }
        isAny = true
        place += 1
      }
      if !isAny { place = begin }
      return isAny ? total + part : nil
    }

    private func isSpelled(_ token: Token) -> Bool {
      guard case .word(let word) = token else { return false }
      return Self.units.contains(word) || Self.tens.contains(word)
    }
  }
}

extension Sum.Operation {
  fileprivate var word: String {
    switch self {
    case .plus: "plus"
    case .minus: "minus"
    case .times: "times"
    case .over: "divided by"
    }
  }
}
