import CPetKernels

extension Transformer {
  /// Runs a batch through every layer; leaves the hidden states in `scratch.hidden`, but for the last projection, and keys
  /// and values in the cache.
  func computeLayers(_ tokens: UnsafeBufferPointer<Int32>, _ cache: KVCache) {
    let width = shape.width
    scratch.clock.begin()
    for (row, token) in tokens.enumerated() {
      weights.embedding.dequantize(
        row: Int(token), with: kernels, block: scratch.projected, into: scratch.hidden + row * width)
    }
    scratch.clock.end(.embedding)
    for index in 0..<shape.layerCount {
      var step = LayerStep(
        transformer: Unmanaged.passUnretained(self), cache: Unmanaged.passUnretained(cache), layer: index,
        rows: tokens.count, past: cache.count, cosines: UnsafePointer(rotary.cosines),
        sines: UnsafePointer(rotary.sines))
      attend(&step)
      feedForward(step)
    }
  }

  /// projected = output(attention(norm(hidden))), where hidden takes in what the layer before projected.
  private func attend(_ step: inout LayerStep) {
    let layer = weights.layer(step.layer)
    normalize(layer.attentionNorm, for: layer.queryKeyValue, rows: step.rows, addsProjected: step.layer > 0)
    scratch.clock.end(.norms)
    // [rows, queries + 2 * keys]
    multiply(layer.queryKeyValue, scratch.input, rows: step.rows, into: scratch.queryKeyValue)
    scratch.clock.end(.queryKeyValue)
    step.storeKeysAndValues(on: pool)
    scratch.clock.end(.rotaryAndCache)
    // [rows, queries]
    step.attendHeads(on: pool)
    quantize(for: layer.attentionOutput, rows: step.rows)
    scratch.clock.end(.attention)
    multiply(layer.attentionOutput, scratch.input, rows: step.rows, into: scratch.projected)
    scratch.clock.end(.attentionOutput)
  }

  /// projected = down(silu(gate(norm(hidden))) * up(norm(hidden))), where hidden takes in what attention projected.
  private func feedForward(_ step: LayerStep) {
    let layer = weights.layer(step.layer)
    normalize(layer.feedForwardNorm, for: layer.gateUp, rows: step.rows, addsProjected: true)
    scratch.clock.end(.norms)
    var gated = GatedProduct(
      layer.gateUp, scratch.input.activations(rows: step.rows, columns: layer.gateUp.columns), into: scratch.gated,
      quantizes: layer.down.isQuantized, halves: scratch.gateUp, kernels, threads: pool.threadCount)
    gated.run(on: pool)
    scratch.clock.end(.gateUp)
    multiply(layer.down, scratch.gated, rows: step.rows, into: scratch.projected)
    scratch.clock.end(.down)
  }

  /// Logits of one row of the batch: output(norm(hidden)).
  func computeLogits(row: Int) {
    let width = shape.width
    scratch.clock.begin()
    // The row and what the last layer projected stay as they are: every row may be asked for.
    let sum = scratch.input.values
    sum.update(from: scratch.hidden + row * width, count: width)
    kernels.pointee.add(sum, scratch.projected + row * width, width)
    kernels.pointee.rms_norm(sum, weights.outputNorm, shape.normEpsilon, sum, width)
    if weights.output.isQuantized { scratch.input.quantize(row: 0, of: 1, columns: width, with: kernels) }
    scratch.clock.end(.norms)
    multiply(weights.output, scratch.input, rows: 1, into: scratch.logits)
    scratch.clock.end(.output)
  }

  private func multiply(
    _ stack: MatrixStack, _ input: ActivationBuffer, rows: Int, into out: UnsafeMutablePointer<Float>
  ) {
    let activations = input.activations(rows: rows, columns: stack.columns)
    var product = MatrixProduct(stack, activations, into: out, kernels, threads: pool.threadCount)
    product.run(on: pool)
  }

  /// input = norm(hidden), ready for a product with `stack`; one pass over each row.
  private func normalize(
    _ weight: UnsafePointer<Float>, for stack: MatrixStack, rows: Int, addsProjected: Bool
  ) {
    var norm = RowNorm(
      kernels: kernels, weight: weight, epsilon: shape.normEpsilon, width: shape.width, rows: rows,
      hidden: scratch.hidden, projected: addsProjected ? scratch.projected : nil, input: scratch.input,
      quantizes: stack.isQuantized)
    pool.run(chunks: rows, over: &norm) { context, _, row in
      context.assumingMemoryBound(to: RowNorm.self).pointee.run(row)
    }
  }

  /// Quantizes the attention's output where the product needs it.
  private func quantize(for stack: MatrixStack, rows: Int) {
    guard stack.isQuantized else { return }
    for row in 0..<rows { scratch.input.quantize(row: row, of: rows, columns: stack.columns, with: kernels) }
  }
}

/// hidden += projected; input = norm(hidden), quantized where a product needs it.
private struct RowNorm {
  let kernels: UnsafePointer<pk_kernels>
  let weight: UnsafePointer<Float>
  let epsilon: Float
  let width: Int
  let rows: Int
  let hidden: UnsafeMutablePointer<Float>
  let projected: UnsafeMutablePointer<Float>?
  let input: ActivationBuffer
  let quantizes: Bool

  func run(_ row: Int) {
    let at = row * width
    if let projected { kernels.pointee.add(hidden + at, projected + at, width) }
    kernels.pointee.rms_norm(hidden + at, weight, epsilon, input.values + at, width)
    if quantizes { input.quantize(row: row, of: rows, columns: width, with: kernels) }
  }
}
