// SPDX-License-Identifier: Apache-2.0
extension NetworkBuilder {
  /// Alternatives that are literals, as a tree of their common beginnings whose leaves share their ends: an enumeration
  /// of many values takes about one state per place where two of them part.
  mutating func add(literals: [[UInt8]], from source: Int32, to target: Int32) throws(GrammarError) {
    let sorted = literals.sorted { $0.lexicographicallyPrecedes($1) }
    var pending = [(state: source, range: sorted.indices, depth: 0)]
    while let (state, whole, depth) = pending.popLast() {
      var range = whole
      if range.count == 1 {
        let rest = sorted[range.lowerBound][depth...].map { $0...$0 }
        try network.connect(state, ranges: rest[...], target)
        continue
      }
      // The shorter of two is before the longer.
      while let first = range.first, sorted[first].count == depth {
        try network.connect(state, .empty, target)
        range = range.dropFirst()
      }
      while let first = range.first {
        let byte = sorted[first][depth]
        let end = range.first { sorted[$0][depth] != byte } ?? range.upperBound
        let next = try network.state()
        try network.connect(state, .range(UInt32(byte), UInt32(byte)), next)
        pending.append((next, first..<end, depth + 1))
        range = end..<range.upperBound
      }
    }
  }
}
