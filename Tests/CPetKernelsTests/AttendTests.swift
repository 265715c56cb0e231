import CPetKernels
import Testing

@Suite struct AttendTests {
  struct Cache {
    var bytes: [UInt8]
    var values: [Double]

    init(_ floats: [Float], _ type: pk_type) {
      if type == PK_F16 {
        bytes = floats.flatMap { withUnsafeBytes(of: Float16($0).bitPattern, Array.init) }
        values = floats.map { Double(Float16($0)) }
      } else {
        bytes = floats.flatMap { withUnsafeBytes(of: $0, Array.init) }
        values = floats.map(Double.init)
      }
    }
  }

  /// softmax(scale * q K^T) V in double precision.
  static func reference(_ query: [Float], _ keys: [Double], _ values: [Double], row: Int, scale: Float) -> [Double] {
    let positions = keys.count / row
    let logits = (0..<positions).map { p in
      Double(scale) * query.indices.reduce(0) { $0 + Double(query[$1]) * keys[p * row + $1] }
    }
    let peak = logits.max() ?? 0
    let powers = logits.map { exponential($0 - peak) }
    let total = powers.reduce(0, +)
    return query.indices.map { i in
      (0..<positions).reduce(0) { $0 + powers[$1] / total * values[$1 * row + i] }
    }
  }

  @Test(arguments: allVariants, [PK_F32, PK_F16])
  func agreesWithDoublePrecision(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(43)
    let k = try kernels(variant)
    for head in [2, 6, 14, 16, 30, 32, 48, 64, 80, 96, 128, 130, 256] {
      for positions in [1, 2, 5, 16, 33, 200] {
        let row = head + 2 * (head % 3)  // rows may be apart
        let keys = Cache(random.floats(positions * row), type)
        let values = Cache(random.floats(positions * row), type)
        let scale = 1 / Float(head).squareRoot()
        // Neighbours see other stretches, as rows of a batch under a sliding window do.
        let ranges = [0..<positions, 0..<max(1, positions - 3), positions / 2..<positions, positions - 1..<positions]
        let vectors = ranges.map { _ in random.floats(head, in: -3...3) }
        let all = Self.attend(k, vectors, ranges, keys, values, type, row: row, scale: scale)
        for (index, range) in ranges.enumerated() {
          let expected = Self.reference(
            vectors[index], Array(keys.values[range.lowerBound * row..<range.upperBound * row]),
            Array(values.values[range.lowerBound * row..<range.upperBound * row]), row: row, scale: scale)
          #expect(
            zip(all[index], expected).allSatisfy { abs(Double($0) - $1) <= 3e-6 },
            "head \(head), \(positions) positions, seeing \(range)")
          let alone = Self.attend(k, [vectors[index]], [range], keys, values, type, row: row, scale: scale)
          #expect(alone[0] == all[index], "a query alone gets the same bits")
        }
      }
    }
  }

  /// The outputs of queries that are computed together.
  static func attend(
    _ k: pk_kernels, _ vectors: [[Float]], _ ranges: [Range<Int>], _ keys: Cache, _ values: Cache, _ type: pk_type,
    row: Int, scale: Float
  ) -> [[Float]] {
    let head = vectors[0].count
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: vectors.count * (2 * head + 512))
    defer { memory.deallocate() }
    memory.initialize(repeating: .nan)
    var queries: [pk_query] = []
    for (index, vector) in vectors.enumerated() {
      let base = memory.baseAddress! + index * (2 * head + 512)
      base.update(from: vector, count: head)
      queries.append(
        pk_query(
          vector: base, out: base + head, scores: base + 2 * head, begin: ranges[index].lowerBound,
          end: ranges[index].upperBound))
    }
    let positions = keys.values.count / row
    var groups = [UInt8](repeating: 0, count: (positions + 15) / 16 * 16 * head * (type == PK_F16 ? 2 : 4))
    for position in 0..<positions {
      let key = keys.values[position * row..<position * row + head].map { Float($0) }
      k.store_key(key, type, head, position, &groups)
    }
    k.attend(
      queries, queries.count, groups, values.bytes, type, row * values.bytes.count / values.values.count, head, scale)
    return queries.map { Array(UnsafeBufferPointer(start: $0.out, count: head)) }
  }

  @Test(arguments: allVariants)
  func hugeScoresDoNotOverflow(variant: pk_variant) throws {
    let query = [Float](repeating: 1e18, count: 64)
    let keys = (0..<3).flatMap { [Float](repeating: Float($0 + 1) * 1e18, count: 64) }
    let values = (0..<3).flatMap { [Float](repeating: Float($0), count: 64) }
    let out = Self.attend(
      try kernels(variant), [query], [0..<3], Cache(keys, PK_F32), Cache(values, PK_F32), PK_F32, row: 64,
      scale: 0.125)
    #expect(out[0].allSatisfy { $0 == 2 })
  }
}
