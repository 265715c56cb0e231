// SPDX-License-Identifier: Apache-2.0
/// The lines of comma-separated values, one after the other (RFC 4180; a line feed alone ends a line too, lines of
/// nothing but white space and a byte order mark are skipped).
struct CommaSeparatedLines {
  private let bytes: [UInt8]
  private var offset: Int
  /// Line ends before `offset`.
  private var passed = 0
  /// Where the last line began, counted from 1.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The cells of the next line; nil at the end.
  mutating func next() throws(ClassifierError) -> [[UInt8]]? {
    while offset < bytes.count {
      number = passed + 1
      let start = offset
      let cells = try line()
      if !bytes[start..<offset].allSatisfy(\.isSpace) { return cells }
    }
    return nil
  }

  private mutating func line() throws(ClassifierError) -> [[UInt8]] {
    var cells: [[UInt8]] = []
    while true {
      cells.append(try cell())
      guard let byte = take() else { return cells }
      if byte == 0x0A { return cells }
      if byte == 0x0D, offset == bytes.count || take() == 0x0A { return cells }
      guard byte == UInt8(ascii: ",") else { throw .invalidInput("line \(number): text after a closing quote") }
    }
  }

  private mutating func cell() throws(ClassifierError) -> [UInt8] {
    var text: [UInt8] = []
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      while offset < bytes.count, !Self.ends.contains(bytes[offset]) {
        guard bytes[offset] != UInt8(ascii: "\"") else { throw .invalidInput("line \(number): a quote within a cell") }
        text.append(bytes[offset])
        offset += 1
      }
      return text
    }
    offset += 1
    while let byte = take() {
      if byte == UInt8(ascii: "\"") {
        guard offset < bytes.count, bytes[offset] == byte else { return text }
        offset += 1
      }
      text.append(byte)
    }
    throw .invalidInput("line \(number): a quote is not closed")
  }

  private mutating func take() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    if bytes[offset] == 0x0A { passed += 1 }
    return bytes[offset]
  }

  private static let ends: [UInt8] = [UInt8(ascii: ","), 0x0A, 0x0D]
}
