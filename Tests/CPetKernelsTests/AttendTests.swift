// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

@Suite struct AttendTests {
  /// Vectors as a cache of some type holds them, and what they are worth then.
  struct Cache {
    let rows: [[Float]]
    let worth: [[Double]]

    init(_ rows: [[Float]], _ type: pk_type) {
      self.rows = rows
      worth = rows.map { row in
        switch type {
        case PK_Q8_0:
          stride(from: 0, to: row.count, by: 32).flatMap { Self.quantized(row[$0..<min(row.count, $0 + 32)]) }
        case PK_F16: row.map { Double(Float16($0)) }
        default: row.map(Double.init)
        }
      }
    }

    /// Q8_0 by its definition: a scale in F16 and quants from -127 to 127.
    private static func quantized(_ block: ArraySlice<Float>) -> [Double] {
      let scale = Float(Float16((block.map(abs).max() ?? 0) / 127))
      guard scale > 0 else { return block.map { _ in 0 } }
      return block.map { Double(scale) * Double(max(-127, min(127, ($0 / scale).rounded(.toNearestOrEven)))) }
    }
  }

  /// softmax(scale * q K^T) V in double precision.
  static func reference(
    _ query: [Float], _ keys: ArraySlice<[Double]>, _ values: ArraySlice<[Double]>, scale: Float
  ) -> [Double] {
    let logits = keys.map { key in Double(scale) * zip(query, key).reduce(0) { $0 + Double($1.0) * $1.1 } }
    let peak = logits.max() ?? 0
    let powers = logits.map { exponential($0 - peak) }
    let total = powers.reduce(0, +)
    return query.indices.map { i in zip(powers, values).reduce(0) { $0 + $1.0 / total * $1.1[i] } }
  }

  @Test(arguments: allVariants, [PK_F32, PK_F16, PK_Q8_0])
  func agreesWithDoublePrecision(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(43)
    let k = try kernels(variant)
    for head in [2, 6, 14, 16, 30, 32, 48, 64, 80, 96, 128, 130, 256] {
      for positions in [1, 2, 5, 16, 33, 200] {
        let keys = Cache((0..<positions).map { _ in random.floats(head) }, type)
        let values = Cache((0..<positions).map { _ in random.floats(head) }, type)
        let scale = 1 / Float(head).squareRoot()
        // Neighbours see other stretches, as rows of a batch under a sliding window do.
        let ranges = [0..<positions, 0..<max(1, positions - 3), positions / 2..<positions, positions - 1..<positions]
        let vectors = ranges.map { _ in random.floats(head, in: -3...3) }
        let all = Self.attend(k, vectors, ranges, keys, values, type, scale: scale)
        for (index, range) in ranges.enumerated() {
          let expected = Self.reference(vectors[index], keys.worth[range], values.worth[range], scale: scale)
          #expect(
            zip(all[index], expected).allSatisfy { abs(Double($0) - $1) <= 3e-6 },
            "head \(head), \(positions) positions, seeing \(range)")
          let alone = Self.attend(k, [vectors[index]], [range], keys, values, type, scale: scale)
          #expect(alone[0] == all[index], "a query alone gets the same bits")
        }
      }
    }
  }

  /// The outputs of queries that are computed together.
  static func attend(
    _ k: pk_kernels, _ vectors: [[Float]], _ ranges: [Range<Int>], _ keys: Cache, _ values: Cache, _ type: pk_type,
    scale: Float
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
    let rowBytes = pk_cached_row_bytes(type, head)
    let keyBytes = Int(PK_BLOCK_POSITIONS) * rowBytes
    let blockBytes = 64 + 2 * keyBytes
    let count = (keys.rows.count + Int(PK_BLOCK_POSITIONS) - 1) / Int(PK_BLOCK_POSITIONS)
    let blocks = UnsafeMutableRawPointer.allocate(byteCount: count * blockBytes, alignment: 64)
    defer { blocks.deallocate() }
    // Later positions lie before earlier ones, and a head begins anywhere in a block.
    let table = (0..<count).map { UnsafeRawPointer?(blocks + (count - 1 - $0) * blockBytes) }
    for position in keys.rows.indices {
      let (block, place) = position.quotientAndRemainder(dividingBy: Int(PK_BLOCK_POSITIONS))
      let base = blocks + (count - 1 - block) * blockBytes + 24
      k.store_key(keys.rows[position], type, head, place, base)
      k.store_value(values.rows[position], type, head, base + keyBytes + place * rowBytes)
    }
    table.withUnsafeBufferPointer { table in
      var cached = pk_cached_head(
        blocks: table.baseAddress, keys: 24, values: 24 + keyBytes, type: type, head_size: head)
      k.attend(queries, queries.count, &cached, scale)
    }
    return queries.map { Array(UnsafeBufferPointer(start: $0.out, count: head)) }
  }

  @Test(arguments: allVariants)
  func hugeScoresDoNotOverflow(variant: pk_variant) throws {
    let query = [Float](repeating: 1e18, count: 64)
    let keys = (0..<3).map { [Float](repeating: Float($0 + 1) * 1e18, count: 64) }
    let values = (0..<3).map { [Float](repeating: Float($0), count: 64) }
    let out = Self.attend(
      try kernels(variant), [query], [0..<3], Cache(keys, PK_F32), Cache(values, PK_F32), PK_F32, scale: 0.125)
    #expect(out[0].allSatisfy { $0 == 2 })
  }

  /// What is not finite, or too large for a scale, is told by NaN and spoils no other block.
  @Test(arguments: allVariants, [Float.nan, .infinity, -.infinity, 1e7])
  func quantizedCacheTellsWhatItCannotHold(variant: pk_variant, value: Float) throws {
    var row = [Float](repeating: 1, count: 64)
    row[40] = value
    var stored = [UInt8](repeating: 0, count: pk_cached_row_bytes(PK_Q8_0, 64))
    try kernels(variant).store_value(row, PK_Q8_0, 64, &stored)
    let scales = [0, 34].map { Float16(bitPattern: UInt16(stored[$0]) | UInt16(stored[$0 + 1]) << 8) }
    #expect(scales[0] == Float16(Float(1) / 127))
    #expect(scales[1].isNaN)
    #expect(stored[36...].allSatisfy { $0 == 0 })
  }
}
