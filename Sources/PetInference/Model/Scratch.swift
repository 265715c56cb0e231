// SPDX-License-Identifier: Apache-2.0
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
  /// Input of a matrix product: normed hidden state, or attention output.
  let input: ActivationBuffer  // [batch, max(width, queries)]
  let queryKeyValue: UnsafeMutablePointer<Float>  // [batch, queries + 2 * keys]
  let gated: ActivationBuffer  // [batch, feed-forward]
  /// Gate and up of each thread's chunk: [thread][2][batch][step]
  let gateUp: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
  let projected: UnsafeMutablePointer<Float>  // [batch, width], and scratch for the bytes of one row
  private(set) var logits: UnsafeMutablePointer<Float>  // [rows requested, vocabulary]
  private(set) var logitsRows = 1
  private let vocabularySize: Int
  var plan: PassPlan
  /// Queries that share one read of keys and values: at least those of one group.
  let queriesPerTile: Int
  let queries: UnsafeMutablePointer<UnsafeMutablePointer<pk_query>>  // [thread][tile]
  let clock: PassClock
  let adapters: AdapterScratch
  private let threadCount: Int
  private let scoreMemory: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>  // [thread][tile, positions]
  private var scoreCapacity = 0
  private var arena = Arena()

  init(_ configuration: ModelConfiguration, batchSize: Int, threadCount: Int) throws(InferenceError) {
    self.batchSize = batchSize
    self.threadCount = threadCount
    let (width, wide) = (configuration.width, configuration.feedForwardWidth)
    hidden = try arena.take(Float.self, batchSize * width)
    input = try ActivationBuffer(rows: batchSize, columns: max(width, configuration.queryWidth), from: &arena)
    queryKeyValue = try arena.take(Float.self, batchSize * (configuration.queryWidth + 2 * configuration.keyValueWidth))
    gated = try ActivationBuffer(rows: batchSize, columns: wide, from: &arena)
    gateUp = try arena.take(UnsafeMutablePointer<Float>.self, threadCount)
    let step = GatedProduct.step(wide, threads: threadCount)
    for thread in 0..<threadCount { gateUp[thread] = try arena.take(Float.self, 2 * batchSize * step) }
    projected = try arena.take(Float.self, batchSize * width)
    queriesPerTile = Self.queriesPerTile(configuration)
    let group = configuration.headCount / configuration.keyValueHeadCount
    plan = try PassPlan(batchSize: batchSize, tileRows: max(1, queriesPerTile / group), from: &arena)
    queries = try arena.take(UnsafeMutablePointer<pk_query>.self, threadCount)
    for thread in 0..<threadCount { queries[thread] = try arena.take(pk_query.self, queriesPerTile) }
    clock = try PassClock(&arena)
    adapters = AdapterScratch(batchSize: batchSize, threadCount: threadCount)
    scoreMemory = try arena.take(UnsafeMutablePointer<Float>?.self, threadCount)
    scoreMemory.initialize(repeating: nil, count: threadCount)
    vocabularySize = configuration.vocabularySize
    logits = try Self.logits(rows: 1, vocabularySize)
  }

  deinit {
    free(logits)
    for thread in 0..<threadCount { free(scoreMemory[thread]) }
  }

  private static func queriesPerTile(_ configuration: ModelConfiguration) -> Int {
    max(16, configuration.headCount / configuration.keyValueHeadCount)
  }

  /// Bytes of all buffers but the scores.
  var byteCount: Int { arena.byteCount + Arena.size(Float.self, logitsRows * vocabularySize) }

  /// The `byteCount` of buffers of these sizes.
  static func byteCount(_ configuration: ModelConfiguration, batchSize: Int, threadCount: Int) -> Int {
    let (width, wide) = (configuration.width, configuration.feedForwardWidth)
    func floats(_ count: Int) -> Int { Arena.size(Float.self, count) }
    var bytes = 2 * floats(batchSize * width)
    bytes += ActivationBuffer.byteCount(rows: batchSize, columns: max(width, configuration.queryWidth))
    bytes += ActivationBuffer.byteCount(rows: batchSize, columns: wide)
    bytes += floats(batchSize * (configuration.queryWidth + 2 * configuration.keyValueWidth))
    bytes += floats(configuration.vocabularySize)
    bytes += threadCount * floats(2 * batchSize * GatedProduct.step(wide, threads: threadCount))
    bytes += threadCount * Arena.size(pk_query.self, queriesPerTile(configuration))
    bytes += PassPlan.byteCount(batchSize: batchSize)
    return bytes + 3 * Arena.size(UnsafeMutableRawPointer.self, threadCount) + PassClock.byteCount
  }

  /// Bytes of the scores of all threads, for sequences of `positions` positions.
  static func scoreBytes(_ configuration: ModelConfiguration, positions: Int, threadCount: Int) -> Int {
    threadCount * queriesPerTile(configuration) * max(positions, 256) * MemoryLayout<Float>.stride
  }

  /// Scratch for the scores of one query of a thread's tile.
  func scores(_ thread: Int, _ query: Int) -> UnsafeMutablePointer<Float>? {
    scoreMemory[thread].map { $0 + query * scoreCapacity }
  }

  private static func logits(rows: Int, _ columns: Int) throws(InferenceError) -> UnsafeMutablePointer<Float> {
    try allocate(byteCount: Arena.size(Float.self, rows * columns), alignment: 64)
      .bindMemory(to: Float.self, capacity: rows * columns)
  }

  /// Grows for the logits of that many rows; growing discards the contents.
  /// - Throws: `InferenceError.notEnoughMemory`.
  func reserveLogits(_ rows: Int) throws(InferenceError) {
    guard rows > logitsRows else { return }
    let larger = try Self.logits(rows: rows, vocabularySize)
    free(logits)
    (logits, logitsRows) = (larger, rows)
  }

  /// Grows for attention over `positions`, ahead of need by at most 4096 of them.
  /// - Throws: `InferenceError.notEnoughMemory`.
  func reserveScores(_ positions: Int) throws(InferenceError) {
    guard positions > scoreCapacity else { return }
    let capacity = max(positions, min(2 * scoreCapacity, positions + 4096), 256)
    for index in 0..<threadCount {
      let count = queriesPerTile * capacity
      let memory = try allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
      free(scoreMemory[index])
      scoreMemory[index] = memory.bindMemory(to: Float.self, capacity: count)
    }
    scoreCapacity = capacity
  }
}
