import CPetKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Every buffer of a forward pass, sized for one batch and allocated once.
final class Scratch {
  let batchSize: Int
  let hidden: UnsafeMutablePointer<Float>  // [batch, width]
  /// Input of a matrix product: normed hidden state, attention output, or gated feed-forward.
  let input: ActivationBuffer  // [batch, max(width, queries, feed-forward)]
  let queryKeyValue: UnsafeMutablePointer<Float>  // [batch, queries + 2 * keys]
  let gateUp: UnsafeMutablePointer<Float>  // [batch, 2 * feed-forward]
  let projected: UnsafeMutablePointer<Float>  // [batch, width]
  let logits: UnsafeMutablePointer<Float>  // [vocabulary]
  /// Queries that read the same keys and values together: at least those of one group.
  let queriesPerTile: Int
  let queries: [UnsafeMutablePointer<pk_query>]  // [thread][tile]
  private var scoreMemory: [UnsafeMutablePointer<Float>?]  // [thread][tile, positions]
  private var scoreCapacity = 0
  private var arena = Arena()

  init(_ configuration: ModelConfiguration, batchSize: Int, threadCount: Int) throws(InferenceError) {
    self.batchSize = batchSize
    let widest = max(configuration.width, configuration.queryWidth, configuration.feedForwardWidth)
    hidden = try arena.take(Float.self, batchSize * configuration.width)
    input = try ActivationBuffer(rows: batchSize, columns: widest, from: &arena)
    queryKeyValue = try arena.take(Float.self, batchSize * (configuration.queryWidth + 2 * configuration.keyValueWidth))
    gateUp = try arena.take(Float.self, batchSize * 2 * configuration.feedForwardWidth)
    projected = try arena.take(Float.self, batchSize * configuration.width)
    logits = try arena.take(Float.self, configuration.vocabularySize)
    queriesPerTile = max(16, configuration.headCount / configuration.keyValueHeadCount)
    let tile = queriesPerTile
    queries = (0..<threadCount).map { _ in .allocate(capacity: tile) }
    scoreMemory = Array(repeating: nil, count: threadCount)
  }

  deinit {
    for pointer in queries { pointer.deallocate() }
    for pointer in scoreMemory { free(pointer) }
  }

  /// Room for the scores of one query of a thread's tile.
  func scores(_ thread: Int, _ query: Int) -> UnsafeMutablePointer<Float>? {
    scoreMemory[thread].map { $0 + query * scoreCapacity }
  }

  /// Makes room for attention over `positions`; grows ahead of need, by at most 4096 of them.
  /// - Throws: `InferenceError.notEnoughMemory`.
  func reserveScores(_ positions: Int) throws(InferenceError) {
    guard positions > scoreCapacity else { return }
    let capacity = max(positions, min(2 * scoreCapacity, positions + 4096), 256)
    for index in scoreMemory.indices {
      let count = queriesPerTile * capacity
      let memory = try allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
      free(scoreMemory[index])
      scoreMemory[index] = memory.bindMemory(to: Float.self, capacity: count)
    }
    scoreCapacity = capacity
  }
}
