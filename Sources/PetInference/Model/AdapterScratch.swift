// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Scratch memory of adapters in a pass. A trivial type; `AdapterScratch` owns the memory.
struct AdapterMemory {
  let thin: UnsafeMutablePointer<Float>  // [part][batch][rank]
  /// Of each thread: [AdaptedRows.most][LowRankProduct.step]
  let sums: UnsafePointer<UnsafeMutablePointer<Float>>
  let batchSize: Int
  let rank: Int

  /// The place of scale * A x of a row; rows of one adapter are `rank` floats apart.
  func reduced(_ part: Int, row: Int) -> UnsafeMutablePointer<Float> { thin + (part * batchSize + row) * rank }
}

/// Owns that memory, which is allocated by the first pass with an adapter.
final class AdapterScratch {
  private(set) var memory: AdapterMemory?
  private let batchSize: Int
  private let threadCount: Int
  private var arena = Arena()

  init(batchSize: Int, threadCount: Int) {
    self.batchSize = batchSize
    self.threadCount = threadCount
  }

  deinit { free(memory?.thin) }

  /// Grows for adapters of a larger rank.
  /// - Throws: `InferenceError.notEnoughMemory`.
  func reserve(rank: Int) throws(InferenceError) {
    let bytes = Arena.size(Float.self, LowRankStack.parts * batchSize * rank)
    let sums = if let memory { memory.sums } else { try makeSums() }
    let thin = try allocate(byteCount: bytes, alignment: 64)
    free(memory?.thin)
    memory = AdapterMemory(
      thin: thin.bindMemory(to: Float.self, capacity: bytes / MemoryLayout<Float>.stride), sums: sums,
      batchSize: batchSize, rank: rank)
  }

  private func makeSums() throws(InferenceError) -> UnsafePointer<UnsafeMutablePointer<Float>> {
    let sums = try arena.take(UnsafeMutablePointer<Float>.self, threadCount)
    for thread in 0..<threadCount {
      sums[thread] = try arena.take(Float.self, AdaptedRows.most * LowRankProduct.step)
    }
    return UnsafePointer(sums)
  }
}
