// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

@Suite struct MatmulTests {
  /// Numbers of columns that `type` can have: single blocks, odd numbers of them, more than one chunk with a rest.
  static func columns(_ type: pk_type) -> [Int] {
    switch pk_block_elements(type) {
    case 1: [1, 7, 15, 16, 17, 31, 33, 48, 64, 100, 576]
    case 32: [32, 64, 96, 256, 288, 576]
    default: [256, 512, 768]
    }
  }

  static let shapes: [(rows: Int, tokens: Int)] = [
    (1, 1), (2, 3), (7, 1), (8, 2), (9, 5), (15, 8), (16, 1), (17, 9), (33, 4), (64, 32), (65, 33), (70, 1),
  ]

  @Test(arguments: quantizedTypes + floatTypes)
  func scalarIsTheDotProductOfDequantizedOperands(type: pk_type) throws {
    var random = SeededGenerator(17)
    for columns in Self.columns(type) {
      let rows = 5
      let tokens = 3
      let weights = random.weights(type, rows: rows, columns: columns)
      let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
      let w = try dequantized(PK_SCALAR, type, weights)
      let out = try product(PK_SCALAR, type, weights, rows: rows, x)
      for t in 0..<tokens {
        for r in 0..<rows {
          var total = 0.0
          var magnitude = 0.0
          for i in 0..<columns {
            let block = (i / 32) * tokens + t
            let operand =
              pk_block_elements(type) == 1
              ? Double(x.values[t * columns + i])
              : Double(x.quants[32 * block + i % 32]) * Double(x.scales[block])
            total += Double(w[r * columns + i]) * operand
            magnitude += abs(Double(w[r * columns + i]) * operand)
          }
          // Each of at most 2 * columns / 16 roundings is half a unit of 2^-24 of a partial sum.
          let tolerance = magnitude * 0x1p-24 * Double(4 + columns / 8)
          #expect(abs(Double(out[t * rows + r]) - total) <= tolerance)
        }
      }
    }
  }

  @Test(arguments: fastVariants, quantizedTypes)
  func quantizedProductsAreTheScalarOnesToTheBit(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(19)
    for columns in Self.columns(type) {
      for (rows, tokens) in Self.shapes {
        for hostile in [false, true] {
          let weights = random.weights(type, rows: rows, columns: columns, hostile: hostile)
          let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
          let out = try product(variant, type, weights, rows: rows, x)
          let expected = try product(PK_SCALAR, type, weights, rows: rows, x)
          #expect(firstDifference(out, expected) == nil, "\(rows) x \(columns), \(tokens) tokens")
        }
      }
    }
  }

  @Test(arguments: allVariants, quantizedTypes)
  func interleavedProductsAreTheSameToTheBit(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(53)
    for columns in Self.columns(type) + [2304] {
      for (rows, tokens) in Self.shapes + [(48, 70)] {
        for hostile in [false, true] {
          let weights = random.weights(type, rows: rows, columns: columns, hostile: hostile)
          let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
          let copy = try interleaved(variant, type, weights, rows: rows, columns: columns)
          let out = try product(variant, type, copy, rows: rows, x, layout: PK_INTERLEAVED)
          let expected = try product(PK_SCALAR, type, weights, rows: rows, x)
          #expect(firstDifference(out, expected) == nil, "\(rows) x \(columns), \(tokens) tokens")
        }
      }
    }
  }

  @Test(arguments: allVariants, floatTypes)
  func interleavedFloatProductsAreTheSameWithinRounding(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(59)
    for columns in Self.columns(type) {
      for (rows, tokens) in Self.shapes {
        let weights = random.weights(type, rows: rows, columns: columns)
        let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
        let copy = try interleaved(variant, type, weights, rows: rows, columns: columns)
        let out = try product(variant, type, copy, rows: rows, x, layout: PK_INTERLEAVED)
        let expected = try product(PK_SCALAR, type, weights, rows: rows, x)
        let tolerance = Float(columns) * 0x1p-23
        #expect(zip(out, expected).allSatisfy { abs($0 - $1) <= tolerance }, "\(rows) x \(columns), \(tokens) tokens")
        // What one token gets is the same alone.
        let alone = try product(variant, type, copy, rows: rows, x.row(tokens - 1), layout: PK_INTERLEAVED)
        #expect(firstDifference(alone, Array(out.suffix(rows))) == nil)
      }
    }
  }

  /// Integers at their extremes: the largest weights against activations of +-127 throughout.
  @Test(arguments: fastVariants, quantizedTypes)
  func extremeBlocksDoNotSaturate(variant: pk_variant, type: pk_type) throws {
    let columns = 512
    let rows = 17
    for fill: UInt8 in [0x00, 0x80, 0xFF, 0x7F, 0x88, 0x0F, 0xF0] {
      let weights = [UInt8](repeating: fill, count: rows * rowBytes(type, columns: columns))
      for pattern in 0..<3 {
        let values = (0..<2 * columns).map { i -> Float in pattern == 0 ? 1 : pattern == 1 ? -1 : i % 2 == 0 ? 1 : -1 }
        let x = try Activations(values, rows: 2, columns: columns)
        let out = try product(variant, type, weights, rows: rows, x)
        #expect(firstDifference(out, try product(PK_SCALAR, type, weights, rows: rows, x)) == nil, "\(fill) \(pattern)")
      }
    }
  }

  @Test(arguments: fastVariants)
  func q8WeightsOfMinus128AreExact(variant: pk_variant) throws {
    var weights: [UInt8] = []
    for _ in 0..<16 {
      weights += [0x00, 0x3C] + [UInt8](repeating: 0x80, count: 32)
    }
    let x = try Activations([Float](repeating: 127, count: 32), rows: 1, columns: 32)
    #expect(try product(variant, PK_Q8_0, weights, rows: 16, x) == [Float](repeating: -128 * 127 * 32, count: 16))
  }

  /// Errors are relative to the sum of |weight * activation|: the accumulators differ in number and order.
  @Test(arguments: fastVariants, floatTypes)
  func floatProductsAreTheScalarOnesWithinRounding(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(23)
    for columns in Self.columns(type) {
      for (rows, tokens) in Self.shapes {
        let weights = random.weights(type, rows: rows, columns: columns)
        let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
        let out = try product(variant, type, weights, rows: rows, x)
        let expected = try product(PK_SCALAR, type, weights, rows: rows, x)
        // Weights and activations lie within -1...1.
        let tolerance = Float(columns) * 0x1p-23
        #expect(zip(out, expected).allSatisfy { abs($0 - $1) <= tolerance }, "\(rows) x \(columns), \(tokens) tokens")
        let error = zip(out, expected).reduce(0) { $0 + Double($1.0 - $1.1) * Double($1.0 - $1.1) }
        let energy = expected.reduce(0) { $0 + Double($1) * Double($1) }
        #expect(error <= 1e-11 * energy)
      }
    }
  }

  /// The contract that lets requests share a batch: an output is the same to the bit in any company.
  @Test(arguments: allVariants, quantizedTypes + floatTypes)
  func anOutputDoesNotDependOnItsBatch(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(29)
    for columns in Self.columns(type) {
      let rows = 37
      let tokens = 35
      let weights = random.weights(type, rows: rows, columns: columns)
      let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
      let whole = try product(variant, type, weights, rows: rows, x)
      for t in [0, 3, 31, 32, 34] {
        let alone = try product(variant, type, weights, rows: rows, try x.row(t))
        let expected = Array(whole[t * rows..<(t + 1) * rows])
        #expect(firstDifference(alone, expected) == nil, "token \(t), columns \(columns)")
      }
      for (first, count) in [(0, 1), (5, 3), (1, 16), (20, 17), (36, 1)] {
        let part = try product(variant, type, weights, rows: count, x, firstRow: first)
        for t in 0..<tokens {
          let expected = Array(whole[t * rows + first..<t * rows + first + count])
          #expect(firstDifference(Array(part[t * count..<(t + 1) * count]), expected) == nil, "rows from \(first)")
        }
      }
    }
  }

  @Test(arguments: allVariants, quantizedTypes + floatTypes)
  func rowsMayBeFurtherApartThanTheyAreLong(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(31)
    let columns = 256
    let rows = 21
    let bytes = rowBytes(type, columns: columns)
    let stride = bytes + 36
    let packed = random.weights(type, rows: rows, columns: columns)
    var spread: [UInt8] = []
    for r in 0..<rows {
      spread += packed[r * bytes..<(r + 1) * bytes]
      spread += [UInt8](repeating: 0xFF, count: stride - bytes)
    }
    let x = try Activations(random.floats(2 * columns), rows: 2, columns: columns)
    let out = try product(variant, type, spread, rows: rows, stride: stride, x)
    #expect(firstDifference(out, try product(variant, type, packed, rows: rows, x)) == nil)
  }

  @Test(arguments: allVariants)
  func outputsBetweenTheStridesAreLeftAlone(variant: pk_variant) throws {
    var random = SeededGenerator(37)
    let columns = 64
    let rows = 19
    let tokens = 3
    let stride = 24
    let weights = random.weights(PK_Q4_1, rows: rows, columns: columns)
    let x = try Activations(random.floats(tokens * columns), rows: tokens, columns: columns)
    var out = [Float](repeating: 77, count: tokens * stride)
    let k = try kernels(variant)
    weights.withUnsafeBytes {
      var matrix = pk_weights(
        type: PK_Q4_1, layout: PK_ROW_MAJOR, bytes: $0.baseAddress, row_bytes: rowBytes(PK_Q4_1, columns: columns),
        rows: rows)
      x.withC { k.matmul(&matrix, $0, &out, stride) }
    }
    let expected = try product(PK_SCALAR, PK_Q4_1, weights, rows: rows, x)
    for t in 0..<tokens {
      #expect(Array(out[t * stride..<t * stride + rows]) == Array(expected[t * rows..<(t + 1) * rows]))
      #expect(out[t * stride + rows..<(t + 1) * stride].allSatisfy { $0 == 77 })
    }
  }
}
