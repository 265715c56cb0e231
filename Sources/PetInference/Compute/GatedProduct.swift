// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// silu(gate x) * (up x), and its quantization. Each chunk takes the same rows of both halves, so that their products stay in
/// the thread's cache.
struct GatedProduct {
  let kernels: UnsafePointer<pk_kernels>
  let gateUp: MatrixStack  // [2 * width, columns]
  let input: pk_activations
  let out: ActivationBuffer  // [rows, width]
  let quantizes: Bool
  /// Scratch of each thread for both halves of a chunk: [2][rows][step]
  let halves: UnsafePointer<UnsafeMutablePointer<Float>>
  let adapters: LowRankProduct?
  private let step: Int
  private var width: Int { gateUp.rows / 2 }

  init(
    _ gateUp: MatrixStack, _ input: pk_activations, into out: ActivationBuffer, quantizes: Bool,
    halves: UnsafePointer<UnsafeMutablePointer<Float>>, adapters: LowRankProduct?,
    _ kernels: UnsafePointer<pk_kernels>, threads: Int
  ) {
    self.kernels = kernels
    self.gateUp = gateUp
    self.input = input
    self.out = out
    self.quantizes = quantizes
    self.halves = halves
    self.adapters = adapters
    step = Self.step(gateUp.rows / 2, threads: threads)
  }

  /// Columns of the result that are computed at once: whole blocks, so that they can be quantized.
  static func step(_ width: Int, threads: Int) -> Int {
    min(ChunkSize.rows(of: width, threads: max(2, threads), multiple: 32), 256)
  }

  mutating func run(on pool: ThreadPool) {
    pool.run(chunks: (width + step - 1) / step, over: &self) { context, worker, chunk in
      context.assumingMemoryBound(to: GatedProduct.self).pointee.run(worker, chunk)
    }
  }

  /// Called by all threads at once; does not mutate `self`.
  private func run(_ worker: Int, _ chunk: Int) {
    let (start, end) = (chunk * step, min(width, (chunk + 1) * step))
    let gate = halves[worker]
    let up = gate + input.rows * step
    multiply(worker, start, end - start, into: gate)
    multiply(worker, width + start, end - start, into: up)
    for row in 0..<input.rows {
      kernels.pointee.swiglu(gate + row * step, up + row * step, out.values + row * width + start, end - start)
      if quantizes { out.quantize(row: row, of: input.rows, columns: width, range: start..<end, with: kernels) }
    }
  }

  private func multiply(_ worker: Int, _ row: Int, _ count: Int, into out: UnsafeMutablePointer<Float>) {
    let isFirst = row < gateUp.first.rows
    guard let matrix = isFirst ? gateUp.first : gateUp.second else { return }
    var weights = matrix.weights(from: isFirst ? row : row - gateUp.first.rows, count: count)
    withUnsafePointer(to: input) { kernels.pointee.matmul(&weights, $0, out, step) }
    adapters?.add(worker, first: row, count: count, to: out, stride: step)
  }
}
