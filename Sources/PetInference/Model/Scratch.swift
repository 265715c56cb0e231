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
  private(set) var scores: [UnsafeMutablePointer<Float>]  // [thread][positions]
  private(set) var scoreCapacity = 0
  var arena = Arena()

  init(_ configuration: ModelConfiguration, batchSize: Int, threadCount: Int) {
    self.batchSize = batchSize
    let widest = max(configuration.width, configuration.queryWidth, configuration.feedForwardWidth)
    hidden = arena.take(Float.self, batchSize * configuration.width)
    input = ActivationBuffer(rows: batchSize, columns: widest, from: &arena)
    queryKeyValue = arena.take(Float.self, batchSize * (configuration.queryWidth + 2 * configuration.keyValueWidth))
    gateUp = arena.take(Float.self, batchSize * 2 * configuration.feedForwardWidth)
    projected = arena.take(Float.self, batchSize * configuration.width)
    logits = arena.take(Float.self, configuration.vocabularySize)
    scores = (0..<threadCount).map { _ in .allocate(capacity: 1) }
  }

  deinit { for score in scores { score.deallocate() } }

  /// Makes room for attention over `positions`; grows by doubling.
  func reserveScores(_ positions: Int) {
    guard positions > scoreCapacity else { return }
    scoreCapacity = max(positions, 2 * scoreCapacity, 256)
    for index in scores.indices {
      scores[index].deallocate()
      scores[index] = .allocate(capacity: scoreCapacity)
    }
  }
}
