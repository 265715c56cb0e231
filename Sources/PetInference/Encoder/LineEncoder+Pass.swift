// SPDX-License-Identifier: Apache-2.0
import CPetKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension LineEncoder {
  /// What is answered of a line behind what came before it: [classes], as the last layer says it. More pieces than ``line`` and
  /// ``before`` are left out at the front.
  ///
  /// Complexity: linear in the pieces for the layers, quadratic for the attention.
  /// - Parameters:
  ///   - own: numbers of the pieces of the line; those outside of the table are left out, here as in `earlier`.
  ///   - earlier: of what came before it.
  ///   - opening: of the piece before the first.
  ///   - closing: of the one behind the line, and behind what came before it.
  /// - Throws: `InferenceError.notEnoughMemory`.
  package func answers(to own: [Int], behind earlier: [Int], opening: Int, closing: Int) throws -> [Float] {
    let own = own.filter((0..<shape.pieces).contains).suffix(line)
    let earlier = earlier.filter((0..<shape.pieces).contains).suffix(before)
    let first = [opening] + own + [closing]
    let rows = first + (earlier.isEmpty ? [] : earlier + [closing])
    return try Pass(self, rows: rows, partOfFirst: first.count, own: 1..<own.count + 1).answers()
  }

  /// The memory of one pass.
  private final class Pass {
    private let encoder: LineEncoder
    private let count: Int
    private let own: Range<Int>
    private let states: UnsafeMutablePointer<Float>  // [count, width]
    private let input: ActivationBuffer  // [count, inner]
    private let wide: UnsafeMutablePointer<Float>  // [count, max(inner, 3 * width)]
    private let query: UnsafeMutablePointer<Float>  // [count, head]
    private let value: UnsafeMutablePointer<Float>  // [head, count]
    private let scores: UnsafeMutablePointer<Float>  // [count, count]
    /// With it the gated product of the kernels is the plain SiLU: [inner]
    private let ones: UnsafeMutablePointer<Float>
    private var arena = Arena()

    private var shape: Shape { encoder.shape }
    private var kernels: UnsafePointer<pk_kernels> { encoder.kernels }

    init(_ encoder: LineEncoder, rows: [Int], partOfFirst: Int, own: Range<Int>) throws(InferenceError) {
      self.encoder = encoder
      self.own = own
      count = rows.count
      let shape = encoder.shape
      states = try arena.take(Float.self, count * shape.width)
      input = try ActivationBuffer(rows: count, columns: shape.inner, from: &arena)
      wide = try arena.take(Float.self, count * max(shape.inner, 3 * shape.width))
      query = try arena.take(Float.self, count * shape.headSize)
      value = try arena.take(Float.self, count * shape.headSize)
      scores = try arena.take(Float.self, count * count)
      ones = try arena.take(Float.self, shape.inner)
      for index in 0..<shape.inner { ones[index] = 1 }
      let block = try arena.take(UInt8.self, encoder.embedding.rowBytes)
      for (place, row) in rows.enumerated() {
        let state = states + place * shape.width
        encoder.embedding.dequantize(
          row: row, with: encoder.kernels, block: UnsafeMutableRawPointer(block), into: state)
        kernels.pointee.add(state, encoder.places + place * shape.width, shape.width)
        kernels.pointee.add(state, encoder.parts + (place < partOfFirst ? 0 : shape.width), shape.width)
        normalize(state, encoder.norm)
      }
    }

    func answers() -> [Float] {
      let width = shape.width
      for block in encoder.blocks {
        multiply(block.queryKeyValue, states, into: wide)
        attend()
        add(block.output, input.values, block.attentionNorm)
        multiply(block.up, states, into: wide)
        for row in 0..<count {
          let inner = wide + row * shape.inner
          kernels.pointee.swiglu(inner, ones, input.values + row * shape.inner, shape.inner)
        }
        add(block.down, input.values, block.outputNorm)
      }
      let both = wide
      for column in 0..<width {
        var sum: Float = 0
        for place in own { sum += states[place * width + column] }
        both[column] = states[column]
        both[width + column] = own.isEmpty ? 0 : sum / Float(own.count)
      }
      return [Float](unsafeUninitializedCapacity: shape.classes) { answers, initialized in
        if let out = answers.baseAddress {
          product(encoder.head.weights, both, rows: 1, into: out, stride: shape.classes)
          kernels.pointee.add(out, encoder.head.bias, shape.classes)
        }
        initialized = shape.classes
      }
    }

    /// Writes what the heads see to `input.values`: [count, width].
    private func attend() {
      let (size, width) = (shape.headSize, shape.width)
      let scale = 1 / Float(size).squareRoot()
      let step = 3 * width
      for head in 0..<shape.heads {
        let from = wide + head * size
        for place in 0..<count {
          for index in 0..<size {
            query[place * size + index] = from[place * step + index] * scale
            value[index * count + place] = from[place * step + 2 * width + index]
          }
        }
        // Keys are rows of weights where they lie.
        floatProduct(from + width, rows: count, rowStride: step, columns: size, query, into: scores, stride: count)
        for place in 0..<count { kernels.pointee.softmax(scores + place * count, count) }
        floatProduct(
          value, rows: size, rowStride: count, columns: count, scores, into: input.values + head * size, stride: width)
      }
    }

    /// states = norm(states + layer(values))
    private func add(_ layer: Layer, _ values: UnsafeMutablePointer<Float>, _ norm: Norm) {
      multiply(layer, values, into: wide)
      for place in 0..<count {
        let state = states + place * shape.width
        kernels.pointee.add(state, wide + place * shape.width, shape.width)
        normalize(state, norm)
      }
    }

    private func multiply(_ layer: Layer, _ values: UnsafeMutablePointer<Float>, into out: UnsafeMutablePointer<Float>)
    {
      let rows = layer.weights.rows
      product(layer.weights, values, rows: count, into: out, stride: rows)
      for place in 0..<count { kernels.pointee.add(out + place * rows, layer.bias, rows) }
    }

    private func product(
      _ weights: QuantizedMatrix, _ values: UnsafeMutablePointer<Float>, rows: Int,
      into out: UnsafeMutablePointer<Float>, stride: Int
    ) {
      let columns = weights.columns
      if values != input.values { input.values.update(from: values, count: rows * columns) }
      if weights.type.isQuantized {
        for row in 0..<rows { input.quantize(row: row, of: rows, columns: columns, with: kernels) }
      }
      var weights = weights.weights(from: 0, count: weights.rows)
      var activations = input.activations(rows: rows, columns: columns)
      kernels.pointee.matmul(&weights, &activations, out, stride)
    }

    private func floatProduct(
      _ matrix: UnsafePointer<Float>, rows: Int, rowStride: Int, columns: Int, _ values: UnsafePointer<Float>,
      into out: UnsafeMutablePointer<Float>, stride: Int
    ) {
      let size = MemoryLayout<Float>.stride
      var weights = pk_weights(
        type: PK_F32, layout: PK_ROW_MAJOR, bytes: matrix, row_bytes: rowStride * size, rows: rows)
      var activations = pk_activations(
        rows: count, columns: columns, values: values, quants: nil, scales: nil, sums: nil)
      kernels.pointee.matmul(&weights, &activations, out, stride)
    }

    /// Layer normalization (arXiv:1607.06450) in place: the root mean square of what is left without the mean.
    private func normalize(_ state: UnsafeMutablePointer<Float>, _ norm: Norm) {
      let width = shape.width
      var sum: Float = 0
      for index in 0..<width { sum += state[index] }
      let mean = sum / Float(width)
      for index in 0..<width { state[index] -= mean }
      kernels.pointee.rms_norm(state, norm.weight, shape.epsilon, state, width)
      kernels.pointee.add(state, norm.bias, width)
    }
  }
}
