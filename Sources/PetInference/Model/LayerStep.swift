// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// One layer's attention for the rows of a pass, shared by the threads. Unretained: the transformer and the caches outlive the
/// pass.
struct LayerStep {
  let transformer: Unmanaged<Transformer>
  let plan: PassPlan
  let layer: Int
  let cosines: UnsafePointer<Float>  // [position][rotary pairs]
  let sines: UnsafePointer<Float>
  let bias: QueryKeyValueBias?

  /// Adds the biases, applies the rotary embedding to queries and keys, and stores keys and values in the cache.
  mutating func storeKeysAndValues(on pool: ThreadPool) {
    pool.run(chunks: plan.rows, over: &self) { context, _, row in
      let step = context.assumingMemoryBound(to: LayerStep.self)
      let segment = step.pointee.plan.segments + step.pointee.plan.segmentOfRow[row]
      step.pointee.transformer._withUnsafeGuaranteedRef { transformer in
        segment.pointee.cache._withUnsafeGuaranteedRef {
          transformer.storeKeysAndValues(step.pointee, row: row, segment.pointee, $0)
        }
      }
    }
  }

  /// softmax(q K^T / sqrt(head size)) V for every row and head, into the transformer's input. The heads of a group, and a few
  /// adjacent rows, share one read of their keys and values.
  mutating func attendHeads(on pool: ThreadPool) {
    // Later rows attend to more keys: many small chunks balance the threads.
    let chunks = plan.tileCount * transformer._withUnsafeGuaranteedRef { $0.shape.keyValueHeadCount }
    pool.run(chunks: chunks, over: &self) { context, worker, chunk in
      let step = context.assumingMemoryBound(to: LayerStep.self)
      step.pointee.transformer._withUnsafeGuaranteedRef { transformer in
        let tile = step.pointee.plan.tiles + chunk / transformer.shape.keyValueHeadCount
        let segment = step.pointee.plan.segments + tile.pointee.segment
        segment.pointee.cache._withUnsafeGuaranteedRef {
          transformer.attend(
            step.pointee, worker, tile.pointee, head: chunk % transformer.shape.keyValueHeadCount, segment.pointee, $0)
        }
      }
    }
  }
}

extension Transformer {
  fileprivate func storeKeysAndValues(
    _ step: LayerStep, row: Int, _ segment: PassPlan.Segment, _ cache: KVCache
  ) {
    let rope = shape.rotatesPairs ? kernels.pointee.rope_pairs : kernels.pointee.rope_halves
    let heads = scratch.queryKeyValue + row * shape.rowWidth
    let keys = heads + shape.headCount * shape.headSize
    let values = keys + shape.keyValueHeadCount * shape.headSize
    if let bias = step.bias {
      kernels.pointee.add(heads, bias.query, shape.headCount * shape.headSize)
      kernels.pointee.add(keys, bias.key, shape.keyValueHeadCount * shape.headSize)
      kernels.pointee.add(values, bias.value, shape.keyValueHeadCount * shape.headSize)
    }
    let position = segment.past + row - segment.firstRow
    let offset = position * (shape.rotating / 2)
    for head in 0..<shape.headCount + shape.keyValueHeadCount {
      rope?(heads + head * shape.headSize, step.cosines + offset, step.sines + offset, shape.rotating)
    }
    for head in 0..<shape.keyValueHeadCount {
      let place = head * shape.headSize
      cache.store(
        key: keys + place, value: values + place, layer: step.layer, head: head, position: position, with: kernels)
    }
  }

  fileprivate func attend(
    _ step: LayerStep, _ worker: Int, _ tile: PassPlan.Tile, head shared: Int, _ segment: PassPlan.Segment,
    _ cache: KVCache
  ) {
    let queries = scratch.queries[worker]
    var count = 0
    for row in tile.firstRow..<tile.endRow {
      let end = segment.past + row - segment.firstRow + 1
      for head in shared * shape.group..<(shared + 1) * shape.group {
        queries[count] = pk_query(
          vector: scratch.queryKeyValue + row * shape.rowWidth + head * shape.headSize,
          out: scratch.input.values + (row * shape.headCount + head) * shape.headSize,
          scores: scratch.scores(worker, count), begin: max(0, end - shape.window), end: end)
        count += 1
      }
    }
    var cached = cache.head(step.layer, shared)
    kernels.pointee.attend(queries, count, &cached, shape.scale)
  }
}
