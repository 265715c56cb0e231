// SPDX-License-Identifier: Apache-2.0
import CPetKernels

extension Transformer {
  /// Runs the rows of the plan through every layer. Leaves the hidden states, without the last projection, in `scratch.hidden`, and
  /// keys and values in the caches.
  func computeLayers() {
    scratch.plan.adapt(scratch.plan.rows) { $0 }
    let plan = scratch.plan
    scratch.clock.begin()
    for row in 0..<plan.rows {
      weights.embedding.dequantize(
        row: Int(plan.tokens[row]), with: kernels, block: scratch.projected, into: scratch.hidden + row * shape.width)
    }
    adaptEmbedding()
    scratch.clock.end(.embedding)
    for index in 0..<shape.layerCount {
      var step = LayerStep(
        transformer: Unmanaged.passUnretained(self), plan: plan, layer: index, cosines: UnsafePointer(rotary.cosines),
        sines: UnsafePointer(rotary.sines), bias: weights.layer(index).queryKeyValueBias)
      attend(&step)
      feedForward(step)
    }
  }

  /// projected = output(attention(norm(hidden))), after adding the previous layer's projection to hidden.
  private func attend(_ step: inout LayerStep) {
    let layer = weights.layer(step.layer)
    normalize(layer.attentionNorm, for: layer.queryKeyValue, rows: step.plan.rows, addsProjected: step.layer > 0)
    scratch.clock.end(.norms)
    // [rows, queries + 2 * keys]
    multiply(
      layer.queryKeyValue, scratch.input, rows: step.plan.rows, into: scratch.queryKeyValue,
      at: .queryKeyValue(step.layer))
    scratch.clock.end(.queryKeyValue)
    step.storeKeysAndValues(on: pool)
    scratch.clock.end(.rotaryAndCache)
    // [rows, queries]
    step.attendHeads(on: pool)
    quantize(for: layer.attentionOutput, rows: step.plan.rows)
    scratch.clock.end(.attention)
    multiply(
      layer.attentionOutput, scratch.input, rows: step.plan.rows, into: scratch.projected,
      at: .attentionOutput(step.layer))
    scratch.clock.end(.attentionOutput)
  }

  /// projected = down(silu(gate(norm(hidden))) * up(norm(hidden))), after adding attention's projection to hidden.
  private func feedForward(_ step: LayerStep) {
    let layer = weights.layer(step.layer)
    normalize(layer.feedForwardNorm, for: layer.gateUp, rows: step.plan.rows, addsProjected: true)
    scratch.clock.end(.norms)
    var gated = GatedProduct(
      layer.gateUp, scratch.input.activations(rows: step.plan.rows, columns: layer.gateUp.columns), into: scratch.gated,
      quantizes: layer.down.isQuantized, halves: scratch.gateUp,
      adapters: adapters(at: .gateUp(step.layer), scratch.input, columns: layer.gateUp.columns), kernels,
      threads: pool.threadCount)
    gated.run(on: pool)
    scratch.clock.end(.gateUp)
    multiply(layer.down, scratch.gated, rows: step.plan.rows, into: scratch.projected, at: .down(step.layer))
    scratch.clock.end(.down)
  }

  /// Logits of rows of the pass, `scratch.logits` from row `first` on: output(norm(hidden)).
  /// - Parameter row: the row of the pass for each of them.
  func computeLogits(_ count: Int, from first: Int = 0, row: (Int) -> Int) {
    let width = shape.width
    scratch.clock.begin()
    for index in 0..<count {
      normalizeState(of: row(index), into: scratch.input.values + index * width)
      if weights.output.isQuantized {
        scratch.input.quantize(row: index, of: count, columns: width, with: kernels)
      }
    }
    scratch.clock.end(.norms)
    scratch.plan.adapt(count, row: row)
    multiply(
      weights.output, scratch.input, rows: count, into: scratch.logits + first * shape.vocabularySize,
      at: .output(shape))
    scratch.clock.end(.output)
  }

  /// The hidden state of a row of the pass after the last norm. Leaves the row and the last projection unchanged, so that every
  /// row can be requested.
  func normalizeState(of row: Int, into state: UnsafeMutablePointer<Float>) {
    let at = row * shape.width
    state.update(from: scratch.hidden + at, count: shape.width)
    kernels.pointee.add(state, scratch.projected + at, shape.width)
    kernels.pointee.rms_norm(state, weights.outputNorm, shape.normEpsilon, state, shape.width)
  }

  private func multiply(
    _ stack: MatrixStack, _ input: ActivationBuffer, rows: Int, into out: UnsafeMutablePointer<Float>,
    at site: AdapterSite
  ) {
    let activations = input.activations(rows: rows, columns: stack.columns)
    var product = MatrixProduct(
      stack, activations, into: out, adapters: adapters(at: site, input, columns: stack.columns), kernels,
      threads: pool.threadCount)
    product.run(on: pool)
  }

  /// The reduced low-rank product of the adapters at `site`; nil where no adapter applies.
  private func adapters(at site: AdapterSite, _ input: ActivationBuffer, columns: Int) -> LowRankProduct? {
    guard var product = lowRankProduct(at: site, UnsafePointer(input.values), columns: columns) else { return nil }
    product.reduce(on: pool)
    return product
  }

  private func lowRankProduct(at site: AdapterSite, _ input: UnsafePointer<Float>, columns: Int) -> LowRankProduct? {
    guard scratch.plan.hasAdapters, let memory = scratch.adapters.memory else { return nil }
    let adapted = scratch.plan.adapted
    guard adapted.contains(where: { !$0.stacks[site.index].isEmpty }) else { return nil }
    return LowRankProduct(
      kernels: kernels, adapted: adapted, site: site, input: input, columns: columns, memory: memory)
  }

  private func adaptEmbedding() {
    guard let product = lowRankProduct(at: .embedding(shape), scratch.hidden, columns: shape.width) else { return }
    product.lookUp(scratch.plan.tokens)
    product.add(0, first: 0, count: shape.width, to: scratch.hidden, stride: shape.width)
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

  /// Quantizes the output of attention where the next product needs it.
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
