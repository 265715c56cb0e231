// SPDX-License-Identifier: Apache-2.0
/// The sections of a reply bank, as `Training/bank/layout.py` writes them: validated once, here, so that reading cannot fail.
package struct BankFile {
  private static let headerSize = 96
  private static let magic = Array("PETBANK2".utf8)
  /// Far above what is needed; products of two stay far below what an Int holds.
  private static let limits: [(name: String, range: ClosedRange<Int>)] = [
    ("exchanges", 1...(1 << 20)), ("width", 16...256), ("words", 1...65535), ("buckets", 1...65536),
    ("hashes", 1...(1 << 18)), ("curve", 1...256), ("text", 1...(1 << 24)), ("answer", 0...1000),
  ]
  package static let longestLine = 1024

  package let exchanges: Int
  package let width: Int
  package let words: Int
  package let buckets: Int
  /// From which closeness an exchange may be an answer: thousandths.
  package let answer: Int
  /// Of the score: the first stands alone, the others are of one feature each.
  package let weights: [Int]

  package let hashes: UnsafeRawBufferPointer
  package let rows: UnsafeRawBufferPointer
  package let rarities: UnsafeRawBufferPointer
  package let traits: UnsafeRawBufferPointer
  package let vectors: UnsafeRawBufferPointer
  package let places: UnsafeRawBufferPointer
  package let records: UnsafeRawBufferPointer
  package let codes: UnsafeRawBufferPointer
  package let curve: [(points: Int, share: Int)]
  package let text: UnsafeRawBufferPointer

  /// - Parameter isTrusted: whether the bytes are part of the program: only the header is looked at.
  /// - Complexity: O(bytes): all are read once. O(1) for bytes that are trusted.
  package init(_ bytes: UnsafeRawBufferPointer, isTrusted: Bool = false) throws(BankError) {
    let size = Self.headerSize
    guard bytes.count >= size else { throw .truncated(expected: size, found: bytes.count) }
    guard bytes.prefix(8).elementsEqual(Self.magic) else { throw .notABank }
    var counts: [Int] = []
    for (index, limit) in Self.limits.enumerated() {
      let value = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 12 + 4 * index, as: UInt32.self)))
      guard limit.range.contains(value) else { throw .count(name: limit.name, value: value) }
      counts.append(value)
    }
    guard counts[1].isMultiple(of: 16) else { throw .count(name: "width", value: counts[1]) }
    exchanges = counts[0]
    width = counts[1]
    words = counts[2]
    buckets = counts[3]
    answer = counts[7]
    weights = (0..<8).map {
      Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: 44 + 4 * $0, as: Int32.self)))
    }
    let sizes = [
      4 * counts[4], 2 * counts[4], words, words, (words + buckets) * width, exchanges * width, 8 * exchanges, 4096,
      8 * counts[5], counts[6],
    ]
    let ends = sizes.reduce(into: [size]) { ends, size in ends.append(ends[ends.count - 1] + (size + 15) / 16 * 16) }
    guard bytes.count == ends[sizes.count] else {
      throw .truncated(expected: ends[sizes.count], found: bytes.count)
    }
    if !isTrusted {
      let expected = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      let found = CRC32.of(UnsafeRawBufferPointer(rebasing: bytes[12...]))
      guard expected == found else { throw .checksum(expected: expected, found: found) }
    }

    let sections = zip(ends, sizes).map { UnsafeRawBufferPointer(rebasing: bytes[$0..<($0 + $1)]) }
    hashes = sections[0]
    rows = sections[1]
    rarities = sections[2]
    traits = sections[3]
    vectors = sections[4]
    places = sections[5]
    records = sections[6]
    codes = sections[7]
    curve = (0..<counts[5]).map {
      (sections[8].number(2 * $0, as: Int32.self), sections[8].number(2 * $0 + 1, as: Int32.self))
    }
    text = sections[9]
    guard !isTrusted else { return }
    try validateWords()
    try validateCurve()
    try validateExchanges()
  }

  package func record(_ index: Int) -> BankRecord {
    BankRecord(bits: UInt64(littleEndian: records.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
  }

  private func validateWords() throws(BankError) {
    var last = -1
    for entry in 0..<(hashes.count / 4) {
      let hash = hashes.number(entry, as: UInt32.self)
      guard hash > last, rows.number(entry, as: UInt16.self) < words else { throw .words(entry: entry) }
      last = hash
    }
  }

  private func validateCurve() throws(BankError) {
    for (knot, own) in curve.enumerated() {
      let before = knot == 0 ? (points: Int.min, share: 0) : curve[knot - 1]
      guard own.points > before.points, own.share >= before.share, own.share <= 1000 else { throw .curve(knot: knot) }
    }
  }

  private func validateExchanges() throws(BankError) {
    guard (0..<256).allSatisfy({ codes[16 * $0] <= 15 }) else { throw .exchange(0) }
    var place = 0
    for index in 0..<exchanges {
      let record = record(index)
      guard record.isValid, record.text == place else { throw .exchange(index) }
      for _ in 0..<2 {
        guard let end = endOfLine(place) else { throw .exchange(index) }
        place = end
      }
    }
    guard place == text.count else { throw .exchange(exchanges) }
  }

  /// Behind the newline of the line that begins at `start`; nil where it does not end, or is too long.
  private func endOfLine(_ start: Int) -> Int? {
    var place = start
    while place < text.count, place - start < Self.longestLine {
      let code = text[place]
      if code == 0x0A { return place + 1 }
      if code != 0, codes[16 * Int(code)] == 0 { return nil }
      place += code == 0 ? 2 : 1
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// The number at `index` of an array of little-endian ones.
  package func number<N: FixedWidthInteger & BitwiseCopyable>(_ index: Int, as type: N.Type) -> Int {
    Int(N(littleEndian: loadUnaligned(fromByteOffset: index * MemoryLayout<N>.size, as: N.self)))
  }
}
