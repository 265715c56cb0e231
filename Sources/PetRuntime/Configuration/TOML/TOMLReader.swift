// SPDX-License-Identifier: Apache-2.0
/// Reads the documents of TOML 1.0 (toml.io/en/v1.0.0) whose values are strings, integers, floats and booleans, and says
/// of every key and value where it stands. Arrays, inline tables and dates are refused where they begin: no setting has
/// any, and without them nothing nests, so that no document makes the reader recurse.
///
/// Packages that read TOML do not tell the place of a value, which every refusal names, and need the whole of Foundation:
/// 9 MB more of resident memory.
package struct TOMLReader {
  /// Parts of a key: what a document may cost grows with them.
  static let depthLimit = 8

  let text: [Unicode.Scalar]
  var index = 0
  private var line = 1
  private var lineStart = 0
  private var tables = TOMLTables()

  /// All entries, in their order.
  package static func read(_ bytes: some Collection<UInt8>) throws(TOMLError) -> [TOMLEntry] {
    var reader = TOMLReader(text: try decode(bytes))
    return try reader.entries()
  }

  private init(text: [Unicode.Scalar]) {
    self.text = text
  }

  private mutating func entries() throws(TOMLError) -> [TOMLEntry] {
    var entries: [TOMLEntry] = []
    var table: [String] = []
    while true {
      skipSpaces()
      guard let next = peek else { return entries }
      switch next {
      case "\n": break
      case "#": break
      case "[": table = try header()
      default: entries.append(try entry(in: table))
      }
      try endLine()
    }
  }

  /// "[memory]"
  private mutating func header() throws(TOMLError) -> [String] {
    let start = position
    advance()
    if peek == "[" { throw TOMLError(position: start, problem: .unsupported("an array of tables")) }
    let path = try key()
    guard take("]") else { throw error(.expected("]")) }
    try tables.open(path, at: start)
    return path
  }

  /// "budget = 1"
  private mutating func entry(in table: [String]) throws(TOMLError) -> TOMLEntry {
    let start = position
    let key = try key()
    guard take("=") else { throw error(.expected("=")) }
    skipSpaces()
    let valueStart = position
    let value = try value()
    try tables.set(key, in: table, at: start)
    return TOMLEntry(path: table + key, keyPosition: start, value: value, valuePosition: valueStart)
  }

  private mutating func key() throws(TOMLError) -> [String] {
    var parts: [String] = []
    repeat {
      skipSpaces()
      guard parts.count < Self.depthLimit else { throw error(.tooDeep(limit: Self.depthLimit)) }
      parts.append(try keyPart())
      skipSpaces()
    } while take(".")
    return parts
  }

  private mutating func keyPart() throws(TOMLError) -> String {
    if peek == "\"" || peek == "'" { return try lineString() }
    let start = index
    while let next = peek, Self.isBare(next) { advance() }
    guard index > start else { throw error(.expected("a key")) }
    return String(String.UnicodeScalarView(text[start..<index]))
  }

  private mutating func value() throws(TOMLError) -> TOMLScalar {
    switch peek {
    case "\"", "'": return .string(try string())
    case "[": throw error(.unsupported("an array"))
    case "{": throw error(.unsupported("an inline table"))
    default: return try word()
    }
  }

  /// A comment if there is one, then the end of the line or of the text.
  private mutating func endLine() throws(TOMLError) {
    skipSpaces()
    if peek == "#" {
      while let next = peek, next != "\n" {
        try refuseControl(next)
        advance()
      }
    }
    guard peek == nil || take("\n") else { throw error(.expected("the end of the line")) }
  }
}

extension TOMLReader {
  var peek: Unicode.Scalar? { index < text.count ? text[index] : nil }

  var position: SourcePosition { SourcePosition(line: line, column: index - lineStart + 1) }

  mutating func advance() {
    let passed = text[index]
    index += 1
    if passed == "\n" {
      line += 1
      lineStart = index
    }
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    advance()
    return true
  }

  mutating func skipSpaces() {
    while peek == " " || peek == "\t" { advance() }
  }

  func error(_ problem: TOMLError.Problem) -> TOMLError { TOMLError(position: position, problem: problem) }

  /// Tab is the only control character that may stand in strings and comments.
  func refuseControl(_ scalar: Unicode.Scalar) throws(TOMLError) {
    if scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F {
      throw error(.controlCharacter(scalar.value))
    }
  }

  static func isBare(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  /// The text, "\r\n" as "\n".
  private static func decode(_ bytes: some Collection<UInt8>) throws(TOMLError) -> [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(bytes.count)
    var decoder = UTF8()
    var source = bytes.makeIterator()
    var place = SourcePosition(line: 1, column: 1)
    while true {
      switch decoder.decode(&source) {
      case .emptyInput: return scalars
      case .error: throw TOMLError(position: place, problem: .notUTF8)
      case .scalarValue(let scalar):
        if scalars.isEmpty, scalar == "\u{FEFF}" { throw TOMLError(position: place, problem: .byteOrderMark) }
        if scalar == "\n" {
          if scalars.last == "\r" { scalars.removeLast() }
          place = SourcePosition(line: place.line + 1, column: 1)
        } else {
          place.column += 1
        }
        scalars.append(scalar)
      }
    }
  }
}
