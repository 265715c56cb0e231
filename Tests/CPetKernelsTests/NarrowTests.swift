// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

@Suite struct NarrowTests {
  func narrowed(_ variant: pk_variant, _ values: [Float]) throws -> [UInt16] {
    var halves = [UInt16](repeating: 0xABCD, count: values.count)
    try kernels(variant).narrow_to_f16(values, &halves, values.count)
    return halves
  }

  @Test(arguments: allVariants)
  func roundsToNearestEven(variant: pk_variant) throws {
    // Around every F16: the value, the midpoint to the next one, and the floats next to the midpoint.
    var values: [Float] = []
    for bits in UInt16(0)..<0x7C00 {
      let value = Float(Float16(bitPattern: bits))
      let above = Float16(bitPattern: bits + 1)
      let next = above.isFinite ? Float(above) : 65536
      let middle = (value + next) / 2
      values += [value, middle, middle.nextUp, middle.nextDown, -value, -middle, -middle.nextUp, -middle.nextDown]
    }
    values += [0x1p-25, 0x1p-26, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity]
    let halves = try narrowed(variant, values)
    for (value, half) in zip(values, halves) where half != Float16(value).bitPattern {
      Issue.record("\(value) became \(Float16(bitPattern: half)), not \(Float16(value))")
    }
  }

  @Test(arguments: fastVariants)
  func nanAndOddCountsComeOutAsInTheScalarVariant(variant: pk_variant) throws {
    let nans: [UInt32] = [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001, 0xFF80_1000, 0x7FFF_FFFF, 0x7FA5_5000]
    for count in [1, 15, 16, 17, 33] {
      let values = (0..<count).map { Float(bitPattern: nans[$0 % nans.count]) }
      let halves = try narrowed(variant, values)
      #expect(halves == (try narrowed(PK_SCALAR, values)))
      #expect(halves.allSatisfy { Float16(bitPattern: $0).isNaN })
    }
  }
}
