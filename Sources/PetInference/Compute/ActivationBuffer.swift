import CPetKernels

/// Room for the input of one matrix product: `rows` vectors as floats, and the same quantized to 8 bits in blocks of 32
/// for quantized weights.
struct ActivationBuffer {
  /// [rows][columns]; also used as plain scratch.
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

  /// Quantizes row `row` of `columns` values in place.
  func quantize(row: Int, columns: Int, with kernels: UnsafePointer<pk_kernels>) {
    kernels.pointee.quantize_activations(
      values + row * columns, columns, quants + row * columns, scales + row * (columns / 32),
      sums + row * (columns / 16))
  }

  /// The first `rows` rows of `columns` values as the kernels want them.
  func activations(rows: Int, columns: Int) -> pk_activations {
    pk_activations(rows: rows, columns: columns, values: values, quants: quants, scales: scales, sums: sums)
  }
}
