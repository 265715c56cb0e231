import CPetKernels

extension Transformer {
  /// input = norm(hidden), ready for a product with `matrices`.
  func normalize(_ weight: [Float], for matrices: [QuantizedMatrix], rows: Int) {
    let width = configuration.width
    let quantizes = matrices.contains { $0.type.isQuantized }
    weight.withUnsafeBufferPointer { weight in
      forEachRow(rows) { row in
        kernels.pointee.rms_norm(
          scratch.hidden + row * width, weight.baseAddress, configuration.normEpsilon,
          scratch.input.values + row * width, width)
        if quantizes { scratch.input.quantize(row: row, columns: width, with: kernels) }
      }
    }
  }

  /// Quantizes the input where one of `matrices` needs it.
  func prepare(_ matrices: [QuantizedMatrix], columns: Int, rows: Int) {
    guard matrices.contains(where: { $0.type.isQuantized }) else { return }
    forEachRow(rows) { row in scratch.input.quantize(row: row, columns: columns, with: kernels) }
  }

  /// out[row] = the products of all `matrices` with input row `row`, one after another.
  func multiply(
    _ matrices: [QuantizedMatrix], columns: Int, rows: Int, into out: UnsafeMutablePointer<Float>
  ) {
    var input = scratch.input.activations(rows: rows, columns: columns)
    let outputs = matrices.reduce(0) { $0 + $1.rows }
    let step = Self.chunkRows(outputs, threads: pool.threadCount)
    withUnsafePointer(to: &input) { input in
      pool.run(chunks: (outputs + step - 1) / step) { _, chunk in
        // The rows of all matrices are numbered through; a chunk may span two of them.
        let (start, end) = (chunk * step, min(outputs, (chunk + 1) * step))
        var base = 0
        for matrix in matrices {
          let (first, last) = (max(start, base), min(end, base + matrix.rows))
          if first < last {
            kernels.pointee.matmul(
              matrix.type.kernelType, matrix.row(first - base), matrix.rowBytes, last - first, input, out + first,
              outputs)
          }
          base += matrix.rows
        }
      }
    }
  }

  /// Rows per chunk: a few chunks per thread so that a slow thread loses little, and whole groups of 16 rows.
  private static func chunkRows(_ rows: Int, threads: Int) -> Int {
    guard threads > 1 else { return rows }
    let even = (rows + threads * 8 - 1) / (threads * 8)
    return max(16, (even + 15) / 16 * 16)
  }

  func forEachRow(_ rows: Int, _ body: (Int) -> Void) {
    guard rows > 1 else { return body(0) }
    pool.run(chunks: rows) { _, row in body(row) }
  }
}
