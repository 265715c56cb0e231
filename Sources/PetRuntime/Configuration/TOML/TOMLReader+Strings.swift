// SPDX-License-Identifier: Apache-2.0
extension TOMLReader {
  /// Any of the four kinds.
  mutating func string() throws(TOMLError) -> String {
    guard let quote = peek else { throw error(.expected("a string")) }
    return follows(quote, count: 3) ? try textString(quote) : try lineString()
  }

  /// "basic" or 'literal', on one line.
  mutating func lineString() throws(TOMLError) -> String {
    let start = position
    guard let quote = peek else { throw error(.expected("a string")) }
    advance()
    var result = String.UnicodeScalarView()
    while let next = peek, next != "\n" {
      if take(quote) { return String(result) }
      if next == "\\", quote == "\"" {
        result.append(try escape())
      } else {
        try refuseControl(next)
        result.append(next)
        advance()
      }
    }
    throw TOMLError(position: start, problem: .unterminatedString(quote: String(quote)))
  }

  /// """basic""" or '''literal''', on any number of lines.
  private mutating func textString(_ quote: Unicode.Scalar) throws(TOMLError) -> String {
    let start = position
    for _ in 0..<3 { advance() }
    _ = take("\n")
    var result = String.UnicodeScalarView()
    while let next = peek {
      if follows(quote, count: 3) {
        // Up to two quotes more stand before those that end it.
        while follows(quote, count: 4), count(of: quote) <= 5 {
          result.append(quote)
          advance()
        }
        for _ in 0..<3 { advance() }
        return String(result)
      }
      if next == "\\", quote == "\"" {
        if skipsLineEnd() { continue }
        result.append(try escape())
      } else {
        if next != "\n" { try refuseControl(next) }
        result.append(next)
        advance()
      }
    }
    throw TOMLError(
      position: start, problem: .unterminatedString(quote: String(repeating: String(quote), count: 3)))
  }

  /// A backslash at the end of a line takes all white space up to the next character with it.
  private mutating func skipsLineEnd() -> Bool {
    var end = index + 1
    while end < text.count, text[end] == " " || text[end] == "\t" { end += 1 }
    guard end < text.count, text[end] == "\n" else { return false }
    advance()
    while let next = peek, next == " " || next == "\t" || next == "\n" { advance() }
    return true
  }

  private mutating func escape() throws(TOMLError) -> Unicode.Scalar {
    let start = index
    func unknown(_ end: Int) -> TOMLError {
      let end = text[start..<min(end, text.count)].firstIndex(of: "\n") ?? min(end, text.count)
      return error(.unknownEscape(String(String.UnicodeScalarView(text[start..<end]))))
    }
    guard start + 1 < text.count else { throw unknown(start + 1) }
    let length: Int
    switch text[start + 1] {
    case "b": return take(escaped: "\u{8}")
    case "t": return take(escaped: "\t")
    case "n": return take(escaped: "\n")
    case "f": return take(escaped: "\u{C}")
    case "r": return take(escaped: "\r")
    case "\"": return take(escaped: "\"")
    case "\\": return take(escaped: "\\")
    case "u": length = 4
    case "U": length = 8
    default: throw unknown(start + 2)
    }
    let end = start + 2 + length
    guard end <= text.count, text[(start + 2)..<end].allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }),
      let code = UInt32(String(String.UnicodeScalarView(text[(start + 2)..<end])), radix: 16),
      let scalar = Unicode.Scalar(code)
    else { throw unknown(end) }
    for _ in start..<end { advance() }
    return scalar
  }

  private mutating func take(escaped scalar: Unicode.Scalar) -> Unicode.Scalar {
    advance()
    advance()
    return scalar
  }

  private func follows(_ quote: Unicode.Scalar, count: Int) -> Bool { self.count(of: quote, limit: count) == count }

  /// How many of `scalar` stand here in a row, at most `limit`.
  private func count(of scalar: Unicode.Scalar, limit: Int = 6) -> Int {
    text[index...].prefix(limit).prefix { $0 == scalar }.count
  }
}
