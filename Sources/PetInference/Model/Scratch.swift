import CPetKernels

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
  private var scoreMemory: [UnsafeMutablePointer<Float>]  // [thread][tile, positions]
  private var scoreCapacity = 0
  var arena = Arena()

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
    scoreMemory = (0..<threadCount).map { _ in .allocate(capacity: 1) }
  }

  deinit {
    for pointer in queries { pointer.deallocate() }
    for pointer in scoreMemory { pointer.deallocate() }
  }

  /// Room for the scores of one query of a thread's tile.
  func scores(_ thread: Int, _ query: Int) -> UnsafeMutablePointer<Float> {
    scoreMemory[thread] + query * scoreCapacity
  }

  /// Makes room for attention over `positions`; grows by doubling.
  func reserveScores(_ positions: Int) {
    guard positions > scoreCapacity else { return }
    scoreCapacity = max(positions, 2 * scoreCapacity, 256)
    for index in scoreMemory.indices {
      scoreMemory[index].deallocate()
      scoreMemory[index] = .allocate(capacity: queriesPerTile * scoreCapacity)
    }
  }
}
