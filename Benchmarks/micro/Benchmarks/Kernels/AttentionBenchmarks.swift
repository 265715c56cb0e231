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
  var next = 0
  return {
    let keys = Memory.pool + next * bytes
    next = (next + 1) % (Memory.poolBytes / bytes)
    kernels.pointee.attend(queries, count, keys, keys + bytes / 2, PK_F16, 2 * headSize, headSize, 0.125)
  }
}
