import CPetKernels

/// One layer's attention for a batch of rows, as the threads see it. References are not counted: the transformer and the
/// cache outlive the pass.
struct LayerStep {
  let transformer: Unmanaged<Transformer>
  let cache: Unmanaged<KVCache>
  let layer: Int
  let rows: Int
  /// Positions in the cache before this batch.
  let past: Int
  let cosines: UnsafePointer<Float>  // [position][rotary pairs]
  let sines: UnsafePointer<Float>

  /// Turns queries and keys by their positions; keys and values go to the cache.
  mutating func storeKeysAndValues(on pool: ThreadPool) {
    pool.run(chunks: rows, over: &self) { context, _, row in
      let step = context.assumingMemoryBound(to: LayerStep.self)
      step.pointee.transformer._withUnsafeGuaranteedRef { transformer in
        step.pointee.cache._withUnsafeGuaranteedRef { transformer.storeKeysAndValues(step.pointee, row: row, $0) }
      }
    }
  }

  /// softmax(q K^T / sqrt(head size)) V for every row and head, into the transformer's input. The heads of a group, and a few
  /// neighbouring rows, read the keys and values that they share together.
  mutating func attendHeads(on pool: ThreadPool) {
    let parts = transformer._withUnsafeGuaranteedRef { $0.attentionParts(rows: rows) }
    pool.run(chunks: parts, over: &self) { context, worker, chunk in
      let step = context.assumingMemoryBound(to: LayerStep.self)
      step.pointee.transformer._withUnsafeGuaranteedRef { transformer in
        step.pointee.cache._withUnsafeGuaranteedRef { transformer.attend(step.pointee, worker, chunk, $0) }
      }
    }
  }
}

extension Transformer {
  fileprivate func storeKeysAndValues(_ step: LayerStep, row: Int, _ cache: KVCache) {
    let rope = shape.rotatesPairs ? kernels.pointee.rope_pairs : kernels.pointee.rope_halves
    let heads = scratch.queryKeyValue + row * shape.rowWidth
    let position = step.past + row
    let offset = position * (shape.rotating / 2)
    for head in 0..<shape.headCount + shape.keyValueHeadCount {
      rope?(heads + head * shape.headSize, step.cosines + offset, step.sines + offset, shape.rotating)
    }
    let keys = heads + shape.headCount * shape.headSize
    let values = keys + shape.keyValueHeadCount * shape.headSize
    for head in 0..<shape.keyValueHeadCount {
      let place = head * shape.headSize
      cache.store(
        key: keys + place, value: values + place, layer: step.layer, head: head, position: position, with: kernels)
    }
  }

  /// Rows whose queries are computed together.
  private var attentionTile: Int { max(1, scratch.queriesPerTile / shape.group) }

  /// Late rows see more keys than early ones: many small chunks keep threads level.
  fileprivate func attentionParts(rows: Int) -> Int {
    (rows + attentionTile - 1) / attentionTile * shape.keyValueHeadCount
  }

  fileprivate func attend(_ step: LayerStep, _ worker: Int, _ chunk: Int, _ cache: KVCache) {
    let (part, shared) = (chunk / shape.keyValueHeadCount, chunk % shape.keyValueHeadCount)
    let queries = scratch.queries[worker]
    var count = 0
    for row in part * attentionTile..<min(step.rows, (part + 1) * attentionTile) {
      let end = step.past + row + 1
      for head in shared * shape.group..<(shared + 1) * shape.group {
        queries[count] = pk_query(
          vector: scratch.queryKeyValue + row * shape.rowWidth + head * shape.headSize,
          out: scratch.input.values + (row * shape.headCount + head) * shape.headSize,
          scores: scratch.scores(worker, count), begin: max(0, end - shape.window), end: end)
        count += 1
      }
    }
    kernels.pointee.attend(
      queries, count, cache.keys(step.layer, head: shared), cache.values(step.layer, head: shared),
      cache.precision.kernelType, cache.rowBytes, shape.headSize, shape.scale)
  }
}
