/// Which rows of a pass belong to which sequence, and which of them attend together. Plain memory: threads read it, and filling
/// it allocates nothing.
struct PassPlan {
  /// The rows of one sequence, one after the other.
  struct Segment {
    /// Not counted: the caller holds it for the pass.
    let cache: Unmanaged<KVCache>
    let firstRow: Int
    /// Positions in the cache before this pass.
    let past: Int
  }

  /// Neighbouring rows of one sequence, which read its keys and values together.
  struct Tile {
    let segment: Int
    let firstRow: Int
    let endRow: Int
  }

  let tokens: UnsafeMutablePointer<Int32>  // [batch]
  let segments: UnsafeMutablePointer<Segment>  // [batch]
  let segmentOfRow: UnsafeMutablePointer<Int>  // [batch]
  let tiles: UnsafeMutablePointer<Tile>  // [batch]
  private let tileRows: Int
  private(set) var rows = 0
  private(set) var segmentCount = 0
  private(set) var tileCount = 0

  /// - Parameter tileRows: how many rows of a sequence attend together at most.
  init(batchSize: Int, tileRows: Int, from arena: inout Arena) throws(InferenceError) {
    self.tileRows = tileRows
    tokens = try arena.take(Int32.self, batchSize)
    segments = try arena.take(Segment.self, batchSize)
    segmentOfRow = try arena.take(Int.self, batchSize)
    tiles = try arena.take(Tile.self, batchSize)
  }

  static func byteCount(batchSize: Int) -> Int {
    Arena.size(Int32.self, batchSize) + Arena.size(Segment.self, batchSize) + Arena.size(Int.self, batchSize)
      + Arena.size(Tile.self, batchSize)
  }

  mutating func begin() { (rows, segmentCount, tileCount) = (0, 0, 0) }

  /// Adds the tokens that follow what is in `cache`; all together are at most `batchSize`.
  mutating func add(_ new: UnsafeBufferPointer<Int32>, to cache: KVCache) {
    (segments + segmentCount).initialize(
      to: Segment(cache: .passUnretained(cache), firstRow: rows, past: cache.count))
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
}
