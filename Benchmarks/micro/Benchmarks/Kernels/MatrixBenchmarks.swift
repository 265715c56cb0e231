// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetInference

/// Products of weights with activations: one row of them, as when a reply is written, and many, as when a prompt is read.
func registerMatrixBenchmarks() {
  for threads in threadCounts {
    for type in TensorType.allCases {
      // A square one from memory, and the largest of the default model's layers.
      for (rows, columns) in [(4096, 4096), (1536, 576)] where columns % type.blockElements == 0 {
        let shape = MatrixShape(type: type, rows: rows, columns: columns)
        let name = "\(type.name) \(rows)x\(columns)"
        measure(
          "matrix, 1 token: \(name)", threads: threads,
          Work(bytes: Double(shape.bytes), operations: shape.operations, roof: .reading(bytes: Memory.poolBytes))
        ) { product(shape, tokens: 1, threads: threads) }
        let tokens = kernels.pointee.variant == PK_SCALAR ? 4 : 64
        measure(
          "matrix, \(tokens) tokens: \(name)", threads: threads,
          Work(
            bytes: Double(shape.bytes), operations: shape.operations * Double(tokens),
            roof: type.isQuantized ? .int8 : .float)
        ) { product(shape, tokens: tokens, threads: threads) }
      }
    }
  }
}

struct MatrixShape {
  let type: TensorType
  let rows: Int
  let columns: Int

  var rowBytes: Int { columns / type.blockElements * type.blockBytes }
  var bytes: Int { rows * rowBytes }
  /// Per token.
  var operations: Double { 2 * Double(rows * columns) }
}

/// A body that multiplies the next matrix of the pool.
func product(_ shape: MatrixShape, tokens: Int, threads: Int) -> () -> Void {
  let (rows, columns, rowBytes) = (shape.rows, shape.columns, shape.rowBytes)
  let values = Memory.floats(tokens * columns)
  let quants = Memory.allocate(bytes: tokens * columns).bindMemory(to: Int8.self, capacity: tokens * columns)
  let scales = Memory.floats(tokens * columns / 32)
  let sums = Memory.allocate(bytes: tokens * columns / 8).bindMemory(to: Int16.self, capacity: tokens * columns / 16)
  for token in 0..<tokens {
    kernels.pointee.quantize_activations(
      values + token * columns, columns, pk_activation_place(token, tokens, columns), quants, scales, sums)
  }
  let out = Memory.floats(tokens * rows)
  let pool = ThreadPool(threadCount: threads)
  let matrices = Memory.poolBytes / shape.bytes
  let step = 64
  var next = 0
  return {
    let weights = Memory.pool + next * shape.bytes
    next = (next + 1) % matrices
    var activations = pk_activations(
      rows: tokens, columns: columns, values: values, quants: quants, scales: scales, sums: sums)
    withUnsafePointer(to: &activations) { activations in
      pool.run(chunks: (rows + step - 1) / step) { _, chunk in
        let first = chunk * step
        var part = pk_weights(
          type: shape.type.kernelType, layout: PK_INTERLEAVED, bytes: weights + first * rowBytes, row_bytes: rowBytes,
          rows: min(step, rows - first))
        kernels.pointee.matmul(&part, activations, out + first, rows)
      }
    }
  }
}
