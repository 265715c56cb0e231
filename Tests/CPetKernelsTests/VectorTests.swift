// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Foundation
import Testing

func exponential(_ x: Double) -> Double { exp(x) }

@Suite struct VectorTests {
  static let counts = [1, 2, 7, 8, 9, 15, 16, 17, 31, 64, 100, 576, 1537]

  @Test(arguments: allVariants)
  func rmsNorm(variant: pk_variant) throws {
    var random = SeededGenerator(47)
    let k = try kernels(variant)
    for count in Self.counts {
      var x = random.floats(count, in: -5...5)
      let weight = random.floats(count)
      let mean = x.reduce(0) { $0 + Double($1) * Double($1) } / Double(count)
      let expected = zip(x, weight).map { Double($0) * Double($1) / (mean + 1e-5).squareRoot() }
      var out = [Float](repeating: .nan, count: count)
      k.rms_norm(x, weight, 1e-5, &out, count)
      #expect(zip(out, expected).allSatisfy { abs(Double($0) - $1) <= 1e-6 * abs($1) })
      let alone = out
      x.withUnsafeMutableBufferPointer { k.rms_norm($0.baseAddress, weight, 1e-5, $0.baseAddress, count) }
      #expect(x == alone)
    }
  }

  @Test(arguments: allVariants)
  func swiglu(variant: pk_variant) throws {
    var random = SeededGenerator(53)
    let k = try kernels(variant)
    for count in Self.counts {
      var gate = random.floats(count, in: -30...30)
      let up = random.floats(count)
      let expected = zip(gate, up).map { Double($0) / (1 + exp(-Double($0))) * Double($1) }
      var out = [Float](repeating: .nan, count: count)
      k.swiglu(gate, up, &out, count)
      #expect(zip(out, expected).allSatisfy { abs(Double($0) - $1) <= 5e-7 * abs($1) })
      let alone = out
      gate.withUnsafeMutableBufferPointer { k.swiglu($0.baseAddress, up, $0.baseAddress, count) }
      #expect(gate == alone)
    }
    let gate: [Float] = [-200, 200, -89, 0, .infinity, .nan]
    let up: [Float] = [1, 1, 1, 1, 1, 1]
    var out = [Float](repeating: .nan, count: 6)
    k.swiglu(gate, up, &out, 6)
    #expect(abs(out[0]) <= 1e-30 && out[1] == 200 && abs(out[2]) <= 1e-30 && out[3] == 0)
    #expect(out[4] == .infinity && out[5].isNaN)
  }

  @Test(arguments: allVariants)
  func softmax(variant: pk_variant) throws {
    var random = SeededGenerator(59)
    let k = try kernels(variant)
    for count in Self.counts {
      for offset in [Float(0), 1000, -1e30] {
        var x = random.floats(count, in: -12...12).map { $0 + offset }
        let peak = Double(x.max() ?? 0)
        let powers = x.map { exp(Double($0) - peak) }
        let total = powers.reduce(0, +)
        k.softmax(&x, count)
        // Differences from the peak reach 24, where floats are 2^-19 apart, so their rounding alone costs 1e-6.
        #expect(zip(x, powers).allSatisfy { abs(Double($0) - $1 / total) <= 2e-6 * $1 / total })
      }
    }
    var masked: [Float] = [0, -.infinity, 0, -.infinity]
    k.softmax(&masked, 4)
    #expect(masked == [0.5, 0, 0.5, 0])
  }

  @Test(arguments: allVariants)
  func notANumberSpreadsThroughSoftmax(variant: pk_variant) throws {
    for at in [0, 5, 16, 19] {
      var x = [Float](repeating: 1, count: 20)
      x[at] = .nan
      try kernels(variant).softmax(&x, 20)
      #expect(x.allSatisfy { $0.isNaN })
    }
  }

  /// The exponential, seen through a softmax over (0, x): the quotient of the results is e^x.
  @Test(arguments: allVariants)
  func exponentialIsAccurate(variant: pk_variant) throws {
    let k = try kernels(variant)
    var worst = 0.0
    for step in 0..<20_000 {
      let x = -86 * Float(step) / 20_000
      var pair = [Float](repeating: -.infinity, count: 32)  // whole vectors
      pair[0] = 0
      pair[1] = x
      k.softmax(&pair, 32)
      // pair[0] is 1 / (1 + e^x) and pair[1] the same times e^x: one rounding each.
      worst = max(worst, abs(Double(pair[1]) / Double(pair[0]) / exp(Double(x)) - 1))
    }
    #expect(worst <= 3.5e-7)
  }

  @Test(arguments: allVariants)
  func ropeTurnsPairs(variant: pk_variant) throws {
    var random = SeededGenerator(61)
    let k = try kernels(variant)
    for rotary in [2, 4, 6, 32, 64, 96, 128] {
      let head = random.floats(rotary + 8)
      let angles = random.floats(rotary / 2, in: 0...6).map(Double.init)
      let cosines = angles.map { Float(cos($0)) }
      let sines = angles.map { Float(sin($0)) }
      for (pairs, kernel) in [(false, k.rope_halves), (true, k.rope_pairs)] {
        var turned = head
        kernel?(&turned, cosines, sines, rotary)
        for i in 0..<rotary / 2 {
          let (a, b) = pairs ? (2 * i, 2 * i + 1) : (i, i + rotary / 2)
          #expect(turned[a] == head[a] * cosines[i] - head[b] * sines[i])
          #expect(turned[b] == head[a] * sines[i] + head[b] * cosines[i])
        }
        #expect(turned[rotary...] == head[rotary...])
      }
    }
  }

  @Test(arguments: allVariants)
  func add(variant: pk_variant) throws {
    var random = SeededGenerator(67)
    for count in Self.counts {
      let x = random.floats(count)
      let y = random.floats(count)
      var sum = x
      try kernels(variant).add(&sum, y, count)
      #expect(sum == zip(x, y).map(+))
    }
  }
}
