// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import Testing

/// Every variant that this CPU runs, and those among them that are compared with the scalar one.
let allVariants: [pk_variant] = (0..<Int32(PK_VARIANT_COUNT)).map { pk_variant(rawValue: $0) }
  .filter { pk_kernels_for($0) != nil }
let fastVariants = allVariants.filter { $0 != PK_SCALAR }

let quantizedTypes: [pk_type] = [
  PK_Q4_0, PK_Q4_1, PK_Q5_0, PK_Q5_1, PK_Q8_0, PK_Q2_K, PK_Q3_K, PK_Q4_K, PK_Q5_K, PK_Q6_K,
]
let floatTypes: [pk_type] = [PK_F32, PK_F16, PK_BF16]

extension pk_type {
  var name: String {
    switch self {
    case PK_F32: "F32"
    case PK_F16: "F16"
    case PK_BF16: "BF16"
    case PK_Q4_0: "Q4_0"
    case PK_Q4_1: "Q4_1"
    case PK_Q5_0: "Q5_0"
    case PK_Q5_1: "Q5_1"
    case PK_Q8_0: "Q8_0"
    case PK_Q2_K: "Q2_K"
    case PK_Q3_K: "Q3_K"
    case PK_Q4_K: "Q4_K"
    case PK_Q5_K: "Q5_K"
    case PK_Q6_K: "Q6_K"
    default: "type \(rawValue)"
    }
  }
}

func kernels(_ variant: pk_variant) throws -> pk_kernels {
  try #require(pk_kernels_for(variant)).pointee
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func floats(_ count: Int, in range: ClosedRange<Float> = -1...1) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &self) }
  }

  mutating func bytes(_ count: Int, mask: UInt8 = 0xFF) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) & mask }
  }

  /// Rows of weights with values of ordinary size. With `hostile`, quantized blocks are any bytes at all.
  mutating func weights(_ type: pk_type, rows: Int, columns: Int, hostile: Bool = false) -> [UInt8] {
    switch type {
    case PK_F32:
      return floats(rows * columns).flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }
    case PK_F16:
      return floats(rows * columns).flatMap { withUnsafeBytes(of: Float16($0).bitPattern.littleEndian, Array.init) }
    case PK_BF16:
      return floats(rows * columns).flatMap {
        withUnsafeBytes(of: UInt16($0.bitPattern >> 16).littleEndian, Array.init)
      }
    default:
      let count = rows * columns / pk_block_elements(type) * pk_block_bytes(type)
      // Bytes below 0x40 make F16 fields finite, non-negative and below 2.
      return bytes(count, mask: hostile ? 0xFF : 0x3F)
    }
  }
}

func rowBytes(_ type: pk_type, columns: Int) -> Int { columns / pk_block_elements(type) * pk_block_bytes(type) }

/// Equal bits, or both NaN: the payload of a NaN is nobody's promise.
func same(_ a: Float, _ b: Float) -> Bool { a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN) }

func firstDifference(_ a: [Float], _ b: [Float]) -> Int? {
  a.count == b.count ? a.indices.first { !same(a[$0], b[$0]) } : min(a.count, b.count)
}

func dequantized(_ variant: pk_variant, _ type: pk_type, _ blocks: [UInt8]) throws -> [Float] {
  let count = blocks.count / pk_block_bytes(type) * pk_block_elements(type)
  var values = [Float](repeating: .nan, count: count)
  try kernels(variant).dequantize(type, blocks, &values, count)
  return values
}

/// Activation rows as the kernels take them. Odd lengths, which only float weights have, are not quantized.
struct Activations {
  var rows: Int
  var columns: Int
  var values: [Float]
  var quants: [Int8]
  var scales: [Float]
  var sums: [Int16]

  init(_ values: [Float], rows: Int, columns: Int, by variant: pk_variant = PK_SCALAR) throws {
    self.rows = rows
    self.columns = columns
    self.values = values
    quants = [Int8](repeating: 0, count: rows * columns)
    scales = [Float](repeating: 0, count: rows * columns / 32)
    sums = [Int16](repeating: 0, count: rows * columns / 16)
    if columns % 32 == 0 {
      let k = try kernels(variant)
      for row in 0..<rows {
        values.withUnsafeBufferPointer {
          k.quantize_activations(
            $0.baseAddress.map { $0 + row * columns }, columns, pk_activation_place(row, rows, columns), &quants,
            &scales, &sums)
        }
      }
    }
  }

  /// One of the rows.
  func row(_ t: Int) throws -> Activations {
    try Activations(Array(values[t * columns..<(t + 1) * columns]), rows: 1, columns: columns)
  }

  func withC<R>(_ body: (UnsafePointer<pk_activations>) throws -> R) rethrows -> R {
    try values.withUnsafeBufferPointer { values in
      try quants.withUnsafeBufferPointer { quants in
        try scales.withUnsafeBufferPointer { scales in
          try sums.withUnsafeBufferPointer { sums in
            var c = pk_activations(
              rows: rows, columns: columns, values: values.baseAddress, quants: quants.baseAddress,
              scales: scales.baseAddress, sums: sums.baseAddress)
            return try body(&c)
          }
        }
      }
    }
  }
}

/// Row-major weights, interleaved.
func interleaved(
  _ variant: pk_variant, _ type: pk_type, _ weights: [UInt8], rows: Int, columns: Int
) throws -> [UInt8] {
  let bytes = rowBytes(type, columns: columns)
  let group = Int(PK_GROUP_ROWS)
  var copy = [UInt8](repeating: 0xA5, count: (rows + group - 1) / group * group * bytes)
  try kernels(variant).interleave(type, weights, bytes, rows, columns, &copy)
  return copy
}

/// The product as [tokens][rows], rows of weights `stride` bytes apart.
func product(
  _ variant: pk_variant, _ type: pk_type, _ weights: [UInt8], rows: Int, stride: Int? = nil, _ x: Activations,
  firstRow: Int = 0, layout: pk_layout = PK_ROW_MAJOR
) throws -> [Float] {
  let stride = stride ?? rowBytes(type, columns: x.columns)
  let k = try kernels(variant)
  var out = [Float](repeating: .nan, count: x.rows * rows)
  weights.withUnsafeBytes { weights in
    var matrix = pk_weights(
      type: type, layout: layout, bytes: weights.baseAddress?.advanced(by: firstRow * stride), row_bytes: stride,
      rows: rows)
    x.withC { k.matmul(&matrix, $0, &out, rows) }
  }
  return out
}
