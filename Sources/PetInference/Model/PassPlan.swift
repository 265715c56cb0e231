// SPDX-License-Identifier: Apache-2.0
/// Which rows of a pass belong to which sequence, and which of them attend together. Raw memory: threads read it, and filling it
/// allocates nothing.
struct PassPlan {
  /// The consecutive rows of one sequence.
  struct Segment {
    /// Unretained: the caller holds it for the pass.
    let cache: Unmanaged<KVCache>
    let firstRow: Int
    /// Positions in the cache before this pass.
    let past: Int
    /// nil: no adapter.
    let adapter: Unmanaged<AdapterWeights>?
  }

  /// Consecutive rows of one sequence that share one read of its keys and values.
  struct Tile {
    let segment: Int
    let firstRow: Int
    let endRow: Int
  }

  let tokens: UnsafeMutablePointer<Int32>  // [batch]
  let segments: UnsafeMutablePointer<Segment>  // [batch]
  let segmentOfRow: UnsafeMutablePointer<Int>  // [batch]
  let tiles: UnsafeMutablePointer<Tile>  // [batch]
  private let adaptedRows: UnsafeMutablePointer<AdaptedRows>  // [batch]
  private let tileRows: Int
  private(set) var rows = 0
  private(set) var segmentCount = 0
  private(set) var tileCount = 0
  private(set) var hasAdapters = false
  private var adaptedCount = 0

  /// - Parameter tileRows: most rows of a sequence that attend together.
  init(batchSize: Int, tileRows: Int, from arena: inout Arena) throws(InferenceError) {
    self.tileRows = tileRows
    tokens = try arena.take(Int32.self, batchSize)
    segments = try arena.take(Segment.self, batchSize)
    segmentOfRow = try arena.take(Int.self, batchSize)
    tiles = try arena.take(Tile.self, batchSize)
    adaptedRows = try arena.take(AdaptedRows.self, batchSize)
  }

  static func byteCount(batchSize: Int) -> Int {
    Arena.size(Int32.self, batchSize) + Arena.size(Segment.self, batchSize) + Arena.size(Int.self, batchSize)
      + Arena.size(Tile.self, batchSize) + Arena.size(AdaptedRows.self, batchSize)
  }

  mutating func begin() { (rows, segmentCount, tileCount, adaptedCount, hasAdapters) = (0, 0, 0, 0, false) }

  /// Adds tokens that follow those in `cache`; the tokens of all segments are at most `batchSize`.
  mutating func add(_ new: UnsafeBufferPointer<Int32>, to cache: KVCache, _ adapter: AdapterWeights?) {
    (segments + segmentCount).initialize(
      to: Segment(
        cache: .passUnretained(cache), firstRow: rows, past: cache.count,
        adapter: adapter.map(Unmanaged.passUnretained)))
    if adapter != nil { hasAdapters = true }
    for index in 0..<new.count {
      tokens[rows + index] = new[index]
      segmentOfRow[rows + index] = segmentCount
    }
    for first in stride(from: 0, to: new.count, by: tileRows) {
      (tiles + tileCount).initialize(
        to: Tile(segment: segmentCount, firstRow: rows + first, endRow: rows + min(first + tileRows, new.count)))
      tileCount += 1
    }
    rows += new.count
    segmentCount += 1
  }

  /// The rows of a product with an adapter.
  var adapted: UnsafeBufferPointer<AdaptedRows> { UnsafeBufferPointer(start: adaptedRows, count: adaptedCount) }

  /// Sets `adapted` for a product with `count` rows, each a row of the pass.
  mutating func adapt(_ count: Int, row: (Int) -> Int) {
    adaptedCount = 0
    guard hasAdapters else { return }
    for index in 0..<count {
      guard let adapter = segments[segmentOfRow[row(index)]].adapter else { continue }
      let stacks = adapter._withUnsafeGuaranteedRef { $0.stacks }
      let last = adaptedRows + (adaptedCount - 1)
      if adaptedCount > 0, last.pointee.stacks == stacks, last.pointee.firstRow + last.pointee.count == index,
        last.pointee.count < AdaptedRows.most
      {
        last.pointee.count += 1
      } else {
        (adaptedRows + adaptedCount).initialize(to: AdaptedRows(stacks: stacks, firstRow: index, count: 1))
        adaptedCount += 1
      }
    }
  }
}
