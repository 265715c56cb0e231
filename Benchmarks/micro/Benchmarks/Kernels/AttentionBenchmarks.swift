// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Attention over a cache of halves, one head of keys and values at a time.
func registerAttentionBenchmarks() {
  let shapes = [
    (name: "SmolLM2, 1 token", queries: 3, headSize: 64), ("Phi-3, 1 token", 1, 96), ("SmolLM2, prompt", 15, 64),
    ("Phi-3, prompt", 16, 96),
  ]
  for (name, queries, headSize) in shapes {
    for positions in [128, 2048] {
      let bytes = 2 * 2 * positions * headSize
      let operations = 4 * Double(positions * headSize * queries)
      measure(
        "attention, \(name): \(queries) queries, \(positions) positions",
        Work(
          bytes: Double(bytes), operations: operations,
          roof: queries > 4 ? .float : .reading(bytes: Memory.poolBytes))
      ) { attention(queries: queries, headSize: headSize, positions: positions, bytes: bytes) }
    }
  }
}

private func attention(queries count: Int, headSize: Int, positions: Int, bytes: Int) -> () -> Void {
  let vectors = Memory.floats(count * headSize)
  let out = Memory.floats(count * headSize)
  let scores = Memory.floats(count * positions)
  let queries = UnsafeMutablePointer<pk_query>.allocate(capacity: count)
  for index in 0..<count {
    queries[index] = pk_query(
      vector: vectors + index * headSize, out: out + index * headSize, scores: scores + index * positions, begin: 0,
      end: positions)
  }
  let blockBytes = bytes / positions * Int(PK_BLOCK_POSITIONS)
  let blocks = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: positions / Int(PK_BLOCK_POSITIONS))
  var next = 0
  return {
    for block in 0..<positions / Int(PK_BLOCK_POSITIONS) {
      blocks[block] = UnsafeRawPointer(Memory.pool + next * bytes + block * blockBytes)
    }
    next = (next + 1) % (Memory.poolBytes / bytes)
    var cached = pk_cached_head(blocks: blocks, keys: 0, values: blockBytes / 2, type: PK_F16, head_size: headSize)
    kernels.pointee.attend(queries, count, &cached, 0.125)
  }
}
