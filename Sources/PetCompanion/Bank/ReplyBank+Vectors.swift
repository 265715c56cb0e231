// SPDX-License-Identifier: Apache-2.0
/// Lines as vectors, and the places near one.
extension ReplyBank {
  /// Of a unit vector as it is stored.
  package static let scale = 320
  private static let wordWeight = 840
  private static let candidates = 32
  // Of the product of two vectors: a pet that is the same, and each step between the bands of a state that matters.
  private static let samePet = scale * scale / 32
  private static let bandStep = scale * scale / 24
  /// Rows from here on stand for words that are not in the table.
  private static let unknown = 1 << 16

  package struct Token {
    package let row: Int
    package let word: [UInt8]
  }

  package func tokens(_ text: String) -> [Token] {
    BankWords.split(text).map { word in
      let hash = FNV1a.of(word)
      return Token(row: row(hash) ?? Self.unknown + Int(hash), word: word)
    }
  }

  package func isKnown(_ row: Int) -> Bool { row < file.words }

  private func row(_ hash: UInt32) -> Int? {
    var low = 0
    var high = file.hashes.count / 4
    while low < high {
      let middle = (low + high) / 2
      if file.hashes.number(middle, as: UInt32.self) < Int(hash) { low = middle + 1 } else { high = middle }
    }
    guard low < file.hashes.count / 4, file.hashes.number(low, as: UInt32.self) == Int(hash) else { return nil }
    return file.rows.number(low, as: UInt16.self)
  }

  /// The vector of a line, [width], of length ``scale`` in whole numbers of 8 bits; nil where nothing is in it.
  package func vector(_ tokens: [Token]) -> [Int16]? {
    var sum = [Int](repeating: 0, count: file.width)
    func add(_ row: Int, _ weight: Int) {
      let start = row * file.width
      for place in 0..<file.width { sum[place] += weight * Int(Int8(bitPattern: file.vectors[start + place])) }
    }
    for token in tokens {
      if isKnown(token.row) { add(token.row, Self.wordWeight) }
      let parts = WordHash.grams(token.word, 3...4)
      for part in parts { add(file.words + Int(part) % file.buckets, Self.wordWeight / parts.count) }
    }
    let squares = sum.reduce(0) { $0 + $1 * $1 }
    guard squares > 0 else { return nil }
    let length = Double(squares).squareRoot()
    return sum.map { value in
      Int16(min(max((Double(value * Self.scale) / length).rounded(.toNearestOrEven), -127), 127))
    }
  }

  /// The nearest exchanges with their products, best first; those of the same pet and of the state that they need come first.
  package func nearest(_ query: [Int16], _ facts: BankFacts) -> [(index: Int, product: Int)] {
    let lanes = stride(from: 0, to: query.count, by: 16).map { SIMD16<Int16>(query[$0..<($0 + 16)]) }
    var best: [(fit: Int, index: Int, product: Int)] = []
    for index in 0..<file.exchanges {
      let product = product(lanes, index * file.width)
      let least = best.count < Self.candidates ? Int.min : best[best.count - 1].fit
      // No place gets more than a pet's share on top.
      guard product + Self.samePet > least else { continue }
      let fit = product + preference(file.record(index), facts)
      guard fit > least else { continue }
      if best.count == Self.candidates { best.removeLast() }
      let place = best.firstIndex { $0.fit < fit } ?? best.count
      best.insert((fit, index, product), at: place)
    }
    return best.map { ($0.index, $0.product) }
  }

  private func preference(_ record: BankRecord, _ facts: BankFacts) -> Int {
    var result = record.pet == facts.pet && facts.pet != BankRecord.noPet ? Self.samePet : 0
    guard let bands = facts.bands, record.needs != 0 else { return result }
    for axis in 0..<3 where record.needs >> axis & 1 == 1 {
      result -= Self.bandStep * abs(record.band(axis) - bands[axis])
    }
    return result
  }

  @inline(__always)
  private func product(_ query: [SIMD16<Int16>], _ start: Int) -> Int {
    var sum = SIMD16<Int32>()
    for (chunk, own) in query.enumerated() {
      let place = file.places.loadUnaligned(fromByteOffset: start + 16 * chunk, as: SIMD16<Int8>.self)
      // At most 127 * 128: it fits.
      sum &+= SIMD16<Int32>(truncatingIfNeeded: SIMD16<Int16>(truncatingIfNeeded: place) &* own)
    }
    return Int(sum.wrappedSum())
  }
}
