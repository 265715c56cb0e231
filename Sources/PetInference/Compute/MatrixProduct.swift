// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// The products of stacked matrices with the rows of an input, cut into chunks of weight rows for the threads.
/// out[t * stack.rows + r] = weight row r of the stack times input row t.
struct MatrixProduct {
  let kernels: UnsafePointer<pk_kernels>
  let stack: MatrixStack
  let input: pk_activations
  let out: UnsafeMutablePointer<Float>
  let adapters: LowRankProduct?
  private let step: Int

  init(
    _ stack: MatrixStack, _ input: pk_activations, into out: UnsafeMutablePointer<Float>,
    adapters: LowRankProduct?, _ kernels: UnsafePointer<pk_kernels>, threads: Int
  ) {
    self.kernels = kernels
    self.stack = stack
    self.input = input
    self.out = out
    self.adapters = adapters
    step = ChunkSize.rows(of: stack.rows, threads: threads, multiple: Int(PK_GROUP_ROWS))
  }

  mutating func run(on pool: ThreadPool) {
    pool.run(chunks: (stack.rows + step - 1) / step, over: &self) { context, worker, chunk in
      context.assumingMemoryBound(to: MatrixProduct.self).pointee.run(worker, chunk)
    }
  }

  /// Called by all threads at once; does not mutate `self`.
  private func run(_ worker: Int, _ chunk: Int) {
    // Rows are numbered consecutively across the matrices; a chunk may span two of them.
    let (start, end) = (chunk * step, min(stack.rows, (chunk + 1) * step))
    stack.forEach { matrix, base in
      let (first, last) = (max(start, base), min(end, base + matrix.rows))
      guard first < last else { return }
      var weights = matrix.weights(from: first - base, count: last - first)
      withUnsafePointer(to: input) { kernels.pointee.matmul(&weights, $0, out + first, stack.rows) }
    }
    adapters?.add(worker, first: start, count: end - start, to: out + start, stride: stack.rows)
  }
}

enum ChunkSize {
  /// Rows per chunk, a whole multiple: a few chunks per thread, so that a slow thread delays the join little.
  static func rows(of rows: Int, threads: Int, multiple: Int) -> Int {
    let even = threads > 1 ? (rows + threads * 8 - 1) / (threads * 8) : rows
    return max(multiple, (even + multiple - 1) / multiple * multiple)
  }
}
