// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

@Suite struct InterleaveTests {
  @Test(arguments: allVariants, quantizedTypes + floatTypes)
  func everyRowComesBackAsItWas(variant: pk_variant, type: pk_type) throws {
    var random = SeededGenerator(47)
    for (rows, columns) in [(1, 256), (16, 512), (33, 768), (64, 256)] {
      let weights = random.weights(type, rows: rows, columns: columns, hostile: pk_block_elements(type) > 1)
      let bytes = rowBytes(type, columns: columns)
      let copy = try interleaved(variant, type, weights, rows: rows, columns: columns)
      #expect(copy == (try interleaved(PK_SCALAR, type, weights, rows: rows, columns: columns)))
      for row in 0..<rows {
        var back = [UInt8](repeating: 0, count: bytes)
        pk_interleaved_row(type, copy, row, columns, &back)
        #expect(back == Array(weights[row * bytes..<(row + 1) * bytes]))
      }
    }
  }

  /// Sixteen rows of Q8_0 with one block each: sixteen scales of two bytes, then four bytes of each row, and so on.
  @Test(arguments: allVariants) func fieldsLieSideBySide(variant: pk_variant) throws {
    let weights = (0..<16).flatMap { row in (0..<34).map { UInt8(row * 8 + $0 / 8) } }
    let copy = try interleaved(variant, PK_Q8_0, weights, rows: 16, columns: 32)
    for row in 0..<16 {
      for byte in 0..<34 {
        let field = byte < 2 ? (start: 0, width: 2) : (start: 2 + (byte - 2) / 4 * 4, width: 4)
        let place = 16 * field.start + row * field.width + byte - field.start
        #expect(copy[place] == weights[34 * row + byte])
      }
    }
  }

  @Test(arguments: allVariants) func rowsThatAGroupLacksAreZeros(variant: pk_variant) throws {
    let weights = [UInt8](repeating: 0xFF, count: 34 * 3)
    let copy = try interleaved(variant, PK_Q8_0, weights, rows: 3, columns: 32)
    #expect(copy.filter { $0 == 0xFF }.count == 34 * 3)
    #expect(copy[2 * 3..<32].allSatisfy { $0 == 0 })
  }
}
