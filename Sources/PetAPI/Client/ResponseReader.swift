// SPDX-License-Identifier: Apache-2.0

/// Takes one HTTP/1.1 response apart as its bytes come: https://www.rfc-editor.org/rfc/rfc9112
///
/// Strict: lines end with CRLF, a field that frames the body comes once, and what the standard leaves to guess is refused.
/// It keeps at most a line; bodies are handed on as they come.
package struct ResponseReader: Sendable {
  /// What came is no response, or one that is larger than ``largestHead`` before its body.
  package struct Malformed: Error, Equatable {
    package init() {}
  }

  private enum Place: Equatable {
    case statusLine, field
    /// So many bytes of the body, or of a chunk of it, are still to come.
    case data(Int, isChunk: Bool)
    case chunkSize, chunkEnd, trailer
    /// The body goes on until the connection ends.
    case untilEnd
    case end
  }

  private enum Framing: Equatable { case length(Int), chunked }

  /// Bytes of the status line and all fields, those of interim responses included; also of the line of a chunk's size, and of trailers.
  package static let largestHead = 32 << 10

  private var place = Place.statusLine
  private var line: [UInt8] = []
  /// Bytes that lines may still have.
  private var room = Self.largestHead
  private var code = 0
  private var isVersion11 = false
  private var framing: Framing?

  package init() {}

  /// Of the final response; nil: its head is not complete.
  package var status: Int? {
    switch place {
    case .statusLine, .field: nil
    default: code
    }
  }

  /// Whether all of the response came. What comes behind it is ignored.
  package var isComplete: Bool { place == .end }

  /// Whether the response is whole where the connection ends here.
  package var mayEnd: Bool { place == .end || place == .untilEnd }

  /// - Returns: the part of the body that is in these bytes.
  /// - Throws: ``Malformed``; then nothing more is to be read.
  package mutating func append(_ bytes: some Sequence<UInt8>) throws(Malformed) -> [UInt8] {
    var rest = Array(bytes)[...]
    var body: [UInt8] = []
    while !rest.isEmpty {
      switch place {
      case .data(let left, let isChunk):
        let piece = rest.prefix(left)
        body += piece
        rest = rest.dropFirst(piece.count)
        place = piece.count < left ? .data(left - piece.count, isChunk: isChunk) : isChunk ? .chunkEnd : .end
      case .untilEnd:
        body += rest
        return body
      case .end:
        return body
      case .statusLine, .field, .chunkSize, .chunkEnd, .trailer:
        if let line = try takeLine(&rest) { try read(line) }
      }
    }
    return body
  }

  /// - Returns: the line that ends in `bytes`, without its end; nil: it goes on.
  private mutating func takeLine(_ bytes: inout ArraySlice<UInt8>) throws(Malformed) -> [UInt8]? {
    while let byte = bytes.popFirst() {
      guard room > 0 else { throw Malformed() }
      room -= 1
      let isAfterReturn = line.last == UInt8(ascii: "\r")
      guard isAfterReturn == (byte == UInt8(ascii: "\n")) else { throw Malformed() }
      if isAfterReturn {
        defer { line = [] }
        return line.dropLast()
      }
      let isText = byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
      guard isText || byte == UInt8(ascii: "\r") else { throw Malformed() }
      line.append(byte)
    }
    return nil
  }

  private mutating func read(_ line: [UInt8]) throws(Malformed) {
    switch place {
    case .statusLine: try readStatus(line)
    case .field:
      if line.isEmpty { try endHead() } else { try readField(line) }
    case .chunkSize:
      room = Self.largestHead
      let size = try Self.chunkSize(line)
      place = size == 0 ? .trailer : .data(size, isChunk: true)
    case .chunkEnd:
      guard line.isEmpty else { throw Malformed() }
      place = .chunkSize
    case .trailer:
      if line.isEmpty { place = .end }
    case .data, .untilEnd, .end: break
    }
  }

  /// `HTTP/1.1 200 OK`
  private mutating func readStatus(_ line: [UInt8]) throws(Malformed) {
    let version = line.prefix(9)
    isVersion11 = version.elementsEqual("HTTP/1.1 ".utf8)
    guard isVersion11 || version.elementsEqual("HTTP/1.0 ".utf8),
      line.count == 12 || line.count > 12 && line[12] == UInt8(ascii: " "),
      let code = Self.number(line[9..<12]), code >= 100
    else { throw Malformed() }
    self.code = code
    place = .field
  }

  /// `Content-Length: 5`
  private mutating func readField(_ line: [UInt8]) throws(Malformed) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      // White space here would be read otherwise by others, or continue the field before: sections 5.1 and 5.2.
      !line[..<colon].contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
    else { throw Malformed() }
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var value = line[(colon + 1)...].drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    if Self.isWord(line[..<colon], "content-length") {
      guard framing == nil, let length = Self.number(value) else { throw Malformed() }
      framing = .length(length)
    } else if Self.isWord(line[..<colon], "transfer-encoding") {
      // No other coding was asked for.
      guard framing == nil, isVersion11, Self.isWord(value, "chunked") else { throw Malformed() }
      framing = .chunked
    }
  }

  /// Whether it is this word, whatever the case of ASCII's letters; other letters have none here.
  private static func isWord(_ bytes: ArraySlice<UInt8>, _ word: String) -> Bool {
    let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return bytes.lazy.map { upper.contains($0) ? $0 | 0x20 : $0 }.elementsEqual(word.utf8)
  }

  /// RFC 9112, section 6.3.
  private mutating func endHead() throws(Malformed) {
    switch code {
    // Nobody asked for another protocol.
    case 101: throw Malformed()
    // An interim response, which has no body. All of them have the room of one.
    case 100..<200: (place, framing) = (.statusLine, nil)
    case 204, 304: place = .end
    default:
      room = Self.largestHead
      place =
        switch framing {
        case nil: .untilEnd
        case .chunked: .chunkSize
        case .length(0): .end
        case .length(let length): .data(length, isChunk: false)
        }
    }
  }

  /// `1f`, or `1f;name=value`
  private static func chunkSize(_ line: [UInt8]) throws(Malformed) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard let size = number(digits, radix: 16) else { throw Malformed() }
    return size
  }

  /// Digits alone, at least one; nil also where no Int holds it.
  private static func number(_ digits: ArraySlice<UInt8>, radix: Int = 10) -> Int? {
    // A sign is none.
    guard digits.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) == true else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: radix)
  }
}
