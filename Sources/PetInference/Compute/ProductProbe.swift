// SPDX-License-Identifier: Apache-2.0
import CPetKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A matrix product to be measured: its weights, 64 rows of Q8_0, stay in the nearest caches.
final class ProductProbe {
  private static let (rows, columns) = (64, 1024)
  /// Products that a thread computes before it takes the next share: a multiple of those of all tokens.
  private static let share = 4 << 20
  private static let sharesPerThread = 4

  private let kernels: UnsafePointer<pk_kernels>
  private let arena: Arena
  private let weights: pk_weights
  private let input: ActivationBuffer
  /// [threads][tokens][rows]
  private let outputs: UnsafeMutablePointer<Float>
  private let outputsPerThread: Int

  /// - Parameter tokens: at most so many in a pass.
  /// - Throws: `InferenceError.notEnoughMemory`.
  init(_ kernels: UnsafePointer<pk_kernels>, threads: Int, tokens: Int) throws(InferenceError) {
    let rowBytes = Self.columns / pk_block_elements(PK_Q8_0) * pk_block_bytes(PK_Q8_0)
    var arena = Arena()
    // The time of a product does not depend on the numbers, as long as none is subnormal: zeros do.
    let bytes = try arena.take(UInt8.self, Self.rows * rowBytes)
    memset(bytes, 0, Self.rows * rowBytes)
    let input = try ActivationBuffer(rows: tokens, columns: Self.columns, from: &arena)
    memset(input.values, 0, tokens * Self.columns * MemoryLayout<Float>.stride)
    let outputs = try arena.take(Float.self, threads * tokens * Self.rows)
    weights = pk_weights(
      type: PK_Q8_0, layout: PK_INTERLEAVED, bytes: bytes, row_bytes: rowBytes, rows: Self.rows)
    self.kernels = kernels
    self.input = input
    self.outputs = outputs
    outputsPerThread = tokens * Self.rows
    self.arena = arena
  }

  /// Of one ``run(on:tokens:)``.
  func products(_ threads: Int) -> Int { threads * Self.sharesPerThread * Self.share }

  func run(on pool: ThreadPool, tokens: Int) {
    for row in 0..<tokens { input.quantize(row: row, of: tokens, columns: Self.columns, with: kernels) }
    let calls = Self.share / (Self.rows * Self.columns * tokens)
    let (kernels, outputs, step) = (kernels, outputs, outputsPerThread)
    let (weights, activations) = (weights, input.activations(rows: tokens, columns: Self.columns))
    pool.run(chunks: pool.threadCount * Self.sharesPerThread) { worker, _ in
      withUnsafePointer(to: weights) { weights in
        withUnsafePointer(to: activations) { activations in
          for _ in 0..<calls {
            kernels.pointee.matmul(weights, activations, outputs + worker * step, Self.rows)
          }
        }
      }
    }
  }
}
