import CPetKernels

extension Transformer {
  /// Runs a batch through every layer; leaves the hidden states in `scratch.hidden` and keys and values in the cache.
  func computeLayers(_ tokens: UnsafeBufferPointer<Int32>, _ cache: KVCache) {
    let (width, count) = (configuration.width, tokens.count)
    for row in 0..<count {
      kernels.pointee.dequantize(
        weights.embedding.type.kernelType, weights.embedding.row(Int(tokens[row])), scratch.hidden + row * width, width)
    }
    for index in 0..<configuration.layerCount {
      attend(weights.layers[index], index, rows: count, cache)
      feedForward(weights.layers[index], rows: count)
    }
  }

  /// hidden += output(attention(norm(hidden)))
  private func attend(_ layer: TransformerWeights.Layer, _ index: Int, rows: Int, _ cache: KVCache) {
    let width = configuration.width
    normalize(layer.attentionNorm, for: layer.queryKeyValue, rows: rows)
    // [rows, queries + 2 * keys]
    multiply(layer.queryKeyValue, columns: width, rows: rows, into: scratch.queryKeyValue)
    storeKeysAndValues(index, rows: rows, cache)
    // [rows, queries]
    attendHeads(index, rows: rows, cache)
    prepare(layer.attentionOutput, columns: configuration.queryWidth, rows: rows)
    multiply(layer.attentionOutput, columns: configuration.queryWidth, rows: rows, into: scratch.projected)
    kernels.pointee.add(scratch.hidden, scratch.projected, rows * width)
  }

  /// hidden += down(silu(gate(norm(hidden))) * up(norm(hidden)))
  private func feedForward(_ layer: TransformerWeights.Layer, rows: Int) {
    let (width, wide) = (configuration.width, configuration.feedForwardWidth)
    normalize(layer.feedForwardNorm, for: layer.gateUp, rows: rows)
    // [rows, 2 * feed-forward]
    multiply(layer.gateUp, columns: width, rows: rows, into: scratch.gateUp)
    let quantizes = layer.down.contains { $0.type.isQuantized }
    forEachRow(rows) { row in
      let gate = scratch.gateUp + row * 2 * wide
      kernels.pointee.swiglu(gate, gate + wide, scratch.input.values + row * wide, wide)
      if quantizes { scratch.input.quantize(row: row, columns: wide, with: kernels) }
    }
    multiply(layer.down, columns: wide, rows: rows, into: scratch.projected)
    kernels.pointee.add(scratch.hidden, scratch.projected, rows * width)
  }

  /// Logits of one row of the batch: output(norm(hidden)).
  func computeLogits(row: Int) {
    let width = configuration.width
    weights.outputNorm.withUnsafeBufferPointer { norm in
      kernels.pointee.rms_norm(
        scratch.hidden + row * width, norm.baseAddress, configuration.normEpsilon, scratch.input.values, width)
    }
    prepare([weights.output], columns: width, rows: 1)
    multiply([weights.output], columns: width, rows: 1, into: scratch.logits)
  }

  /// Turns queries and keys by their positions; keys and values go to the cache.
  private func storeKeysAndValues(_ index: Int, rows: Int, _ cache: KVCache) {
    let shape = configuration
    let (headSize, rotating) = (shape.headSize, shape.rotary.dimensions)
    let rowWidth = shape.queryWidth + 2 * shape.keyValueWidth
    let rope = shape.rotary.layout == .pairs ? kernels.pointee.rope_pairs : kernels.pointee.rope_halves
    let first = cache.count
    rotary.withTables { cosines, sines in
      forEachRow(rows) { row in
        let heads = scratch.queryKeyValue + row * rowWidth
        let offset = (first + row) * (rotating / 2)
        for head in 0..<shape.headCount + shape.keyValueHeadCount {
          rope?(heads + head * headSize, cosines + offset, sines + offset, rotating)
        }
        let position = (first + row) * cache.rowBytes
        for head in 0..<shape.keyValueHeadCount {
          let key = heads + shape.queryWidth + head * headSize
          store(key, at: cache.keys(index, head: head) + position, cache)
          store(key + shape.keyValueWidth, at: cache.values(index, head: head) + position, cache)
        }
      }
    }
  }

  private func store(_ source: UnsafeMutablePointer<Float>, at target: UnsafeMutableRawPointer, _ cache: KVCache) {
    let count = configuration.headSize
    switch cache.precision {
    case .f16: kernels.pointee.narrow_to_f16(source, target.assumingMemoryBound(to: UInt16.self), count)
    case .f32: target.copyMemory(from: source, byteCount: count * MemoryLayout<Float>.size)
    }
  }

  /// softmax(q K^T / sqrt(head size)) V for every row and head, into `scratch.input`. The heads of a group, and a few
  /// neighbouring rows, read the keys and values that they share together.
  private func attendHeads(_ index: Int, rows: Int, _ cache: KVCache) {
    let shape = configuration
    let (headSize, group) = (shape.headSize, shape.headCount / shape.keyValueHeadCount)
    let scale = 1 / Float(headSize).squareRoot()
    let tile = max(1, scratch.queriesPerTile / group)  // rows
    let tiles = (rows + tile - 1) / tile
    // Late rows see more keys than early ones: many small chunks keep threads level.
    pool.run(chunks: tiles * shape.keyValueHeadCount) { thread, chunk in
      let (part, shared) = (chunk / shape.keyValueHeadCount, chunk % shape.keyValueHeadCount)
      let queries = scratch.queries[thread]
      var count = 0
      for row in part * tile..<min(rows, (part + 1) * tile) {
        for head in shared * group..<(shared + 1) * group {
          queries[count] = query(row: row, head: head, past: cache.count, scores: scratch.scores(thread, count))
          count += 1
        }
      }
      kernels.pointee.attend(
        queries, count, cache.keys(index, head: shared), cache.values(index, head: shared),
        cache.precision.kernelType, cache.rowBytes, headSize, scale)
    }
  }

  private func query(row: Int, head: Int, past: Int, scores: UnsafeMutablePointer<Float>?) -> pk_query {
    let shape = configuration
    let rowWidth = shape.queryWidth + 2 * shape.keyValueWidth
    let end = past + row + 1
    return pk_query(
      vector: scratch.queryKeyValue + row * rowWidth + head * shape.headSize,
      out: scratch.input.values + row * shape.queryWidth + head * shape.headSize, scores: scores,
      begin: max(0, end - (shape.slidingWindow ?? end)), end: end)
  }
}
