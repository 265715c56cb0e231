// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

@Suite struct QuantizeActivationsTests {
  @Test(arguments: allVariants)
  func followsItsDefinition(variant: pk_variant) throws {
    var random = SeededGenerator(11)
    for columns in [32, 96, 576, 4096] {
      let values = random.floats(columns, in: -3...3)
      let x = try Activations(values, rows: 1, columns: columns, by: variant)
      for block in 0..<columns / 32 {
        let part = values[block * 32..<block * 32 + 32]
        let peak = part.map(abs).max() ?? 0
        #expect(x.scales[block] == peak / 127)
        for i in part.indices {
          #expect(Float(x.quants[i]) == (values[i] * (127 / peak)).rounded(.toNearestOrEven))
        }
      }
      for i in x.sums.indices {
        #expect(Int(x.sums[i]) == x.quants[i * 16..<i * 16 + 16].reduce(0) { $0 + Int($1) })
      }
    }
  }

  @Test(arguments: allVariants)
  func tiesGoToEven(variant: pk_variant) throws {
    var values = [Float](repeating: 0, count: 32)
    values[0] = 127  // a scale of 1
    values[1...6] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5]
    let x = try Activations(values, rows: 1, columns: 32, by: variant)
    #expect(Array(x.quants[0...6]) == [127, 0, 2, 2, 0, -2, -2])
  }

  @Test(arguments: allVariants, [Float.nan, .infinity, -.infinity, .signalingNaN])
  func notFiniteBlocksAreZerosWithANaNScale(variant: pk_variant, bad: Float) throws {
    for at in [0, 15, 31] {
      var values = [Float](repeating: 1, count: 96)
      values[32 + at] = bad
      let x = try Activations(values, rows: 1, columns: 96, by: variant)
      #expect(x.quants[32..<64].allSatisfy { $0 == 0 } && x.scales[1].isNaN && x.sums[2] == 0 && x.sums[3] == 0)
      #expect(x.scales[0] == 1 / 127 && x.scales[2] == 1 / 127 && x.sums[0] == 16 * 127)
    }
  }

  @Test(arguments: allVariants)
  func extremeMagnitudesNeitherTrapNorOverflow(variant: pk_variant) throws {
    let zeros = try Activations([Float](repeating: -0.0, count: 32), rows: 1, columns: 32, by: variant)
    #expect(zeros.scales == [0] && zeros.quants.allSatisfy { $0 == 0 })
    for peak in [Float.leastNonzeroMagnitude, .leastNormalMagnitude, 0x1p-121, 0x1p-120, .greatestFiniteMagnitude] {
      let values = (0..<32).map { peak * ($0 % 2 == 0 ? 1 : -1) }
      let x = try Activations(values, rows: 1, columns: 32, by: variant)
      let expected: Int8 = peak < 0x1p-120 ? 0 : 127
      #expect(x.quants == (0..<32).map { $0 % 2 == 0 ? expected : -expected })
      #expect(x.scales == [peak / 127])
    }
  }

  @Test(arguments: fastVariants)
  func isTheSameInEveryVariant(variant: pk_variant) throws {
    var random = SeededGenerator(13)
    // Any float bits: all magnitudes, NaN and infinity among them.
    let values = (0..<32 * 512).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
    let x = try Activations(values, rows: 1, columns: values.count, by: variant)
    let expected = try Activations(values, rows: 1, columns: values.count)
    #expect(x.quants == expected.quants && x.sums == expected.sums)
    #expect(firstDifference(x.scales, expected.scales) == nil)
  }

  /// Rows come in tiles of 32, block by block, the last tile with what is left.
  @Test(arguments: allVariants)
  func blocksOfATileLieSideBySide(variant: pk_variant) throws {
    var random = SeededGenerator(61)
    let (rows, columns) = (37, 96)
    let x = try Activations(random.floats(rows * columns), rows: rows, columns: columns, by: variant)
    for row in [0, 1, 31, 32, 36] {
      let alone = try x.row(row)
      let (tile, height) = row < 32 ? (0, 32) : (32, 5)
      for block in 0..<columns / 32 {
        let place = tile * (columns / 32) + block * height + row - tile
        #expect(x.scales[place] == alone.scales[block])
        #expect(x.quants[32 * place..<32 * place + 32].elementsEqual(alone.quants[32 * block..<32 * block + 32]))
        #expect(x.sums[2 * place..<2 * place + 2].elementsEqual(alone.sums[2 * block..<2 * block + 2]))
      }
    }
  }
}
