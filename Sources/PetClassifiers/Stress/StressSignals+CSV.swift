// SPDX-License-Identifier: Apache-2.0
extension StressSignals {
  /// Comma-separated values (RFC 4180): a line of names, then a line for each observation. A cell that is empty or `NA`
  /// is missing.
  /// - Throws: `ClassifierError.invalidInput` for text that is no UTF-8, a name given twice, lines of different width,
  ///   open quotes, no observation, or too much.
  package init(csv bytes: [UInt8]) throws(ClassifierError) {
    guard bytes.count <= Self.maximumBytes else { throw .invalidInput("CSV with more than \(Self.maximumBytes) bytes") }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .invalidInput("the CSV is not UTF-8") }
    self.init()
    var lines = CommaSeparatedLines(bytes)
    guard let header = try lines.next() else { throw .invalidInput("the CSV is empty") }
    guard header.count <= Self.maximumColumns else {
      throw .invalidInput("more than \(Self.maximumColumns) different signals")
    }
    let names = header.map { String(decoding: $0, as: UTF8.self) }
    while let line = try lines.next() {
      guard line.count == names.count else {
        throw .invalidInput("line \(lines.number) has \(line.count) cells and the first has \(names.count)")
      }
      try add(zip(names, line).map { ($0, Self.cell(Array($1.trimmed))) })
    }
    guard observations > 0 else { throw .invalidInput("the CSV has names and no observation") }
  }

  private static func cell(_ text: [UInt8]) -> Cell {
    text.isEmpty || text.elementsEqual("NA".utf8) ? .missing : Cell(digits: text)
  }
}
