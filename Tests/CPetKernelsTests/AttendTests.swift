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
        let query = random.floats(head, in: -3...3)
        let keys = Cache(random.floats(positions * row), type)
        let values = Cache(random.floats(positions * row), type)
        let scale = 1 / Float(head).squareRoot()
        var scores = [Float](repeating: 0, count: positions)
        var out = [Float](repeating: .nan, count: head)
        k.attend(
          query, keys.bytes, values.bytes, type, row * keys.bytes.count / keys.values.count, positions, head, scale,
          &scores, &out)
        let expected = Self.reference(query, keys.values, values.values, row: row, scale: scale)
        #expect(zip(out, expected).allSatisfy { abs(Double($0) - $1) <= 3e-6 }, "head \(head), \(positions) positions")
      }
    }
  }

  @Test(arguments: allVariants)
  func hugeScoresDoNotOverflow(variant: pk_variant) throws {
    let query = [Float](repeating: 1e18, count: 64)
    let keys = (0..<3).flatMap { [Float](repeating: Float($0 + 1) * 1e18, count: 64) }
    let values = (0..<3).flatMap { [Float](repeating: Float($0), count: 64) }
    var scores = [Float](repeating: 0, count: 3)
    var out = [Float](repeating: .nan, count: 64)
    try kernels(variant).attend(query, keys, values, PK_F32, 256, 3, 64, 0.125, &scores, &out)
    #expect(out.allSatisfy { $0 == 2 })
    #expect(scores == [0, 0, 1])
  }
}
