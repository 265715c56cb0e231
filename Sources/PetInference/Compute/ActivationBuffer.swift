// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Room for the input of one matrix product: `rows` vectors as floats, and the same quantized to 8 bits in blocks of 32
/// for quantized weights.
struct ActivationBuffer {
  /// [rows][columns]; also used as scratch.
  let values: UnsafeMutablePointer<Float>
  private let quants: UnsafeMutablePointer<Int8>
  private let scales: UnsafeMutablePointer<Float>
  private let sums: UnsafeMutablePointer<Int16>

  init(rows: Int, columns: Int, from arena: inout Arena) throws(InferenceError) {
    values = try arena.take(Float.self, rows * columns)
    quants = try arena.take(Int8.self, rows * columns)
    scales = try arena.take(Float.self, rows * (columns / 32 + 1))
    sums = try arena.take(Int16.self, rows * (columns / 16 + 1))
  }

  /// Bytes that a buffer takes of an arena.
  static func byteCount(rows: Int, columns: Int) -> Int {
    Arena.size(Float.self, rows * columns) + Arena.size(Int8.self, rows * columns)
      + Arena.size(Float.self, rows * (columns / 32 + 1)) + Arena.size(Int16.self, rows * (columns / 16 + 1))
  }

  /// Quantizes `range` (whole blocks) of the `columns` values of row `row` among `rows`.
  func quantize(
    row: Int, of rows: Int, columns: Int, range: Range<Int>, with kernels: UnsafePointer<pk_kernels>
  ) {
    var place = pk_activation_place(row, rows, columns)
    place.first += range.lowerBound / 32 * place.stride
    kernels.pointee.quantize_activations(
      values + row * columns + range.lowerBound, range.count, place, quants, scales, sums)
  }

  func quantize(row: Int, of rows: Int, columns: Int, with kernels: UnsafePointer<pk_kernels>) {
    quantize(row: row, of: rows, columns: columns, range: 0..<columns, with: kernels)
  }

  /// The first `rows` rows of `columns` values, in the form of the kernels.
  func activations(rows: Int, columns: Int) -> pk_activations {
    pk_activations(rows: rows, columns: columns, values: values, quants: quants, scales: scales, sums: sums)
  }
}
