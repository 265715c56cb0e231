// SPDX-License-Identifier: Apache-2.0
/// A convolution over three neighbouring times, zeros beyond the ends, then max(x, 0).
package struct TemporalConvolution: Sendable {
  private let inputs: Int
  private let stride: Int
  /// (outputs, 3 times, inputs): one output is one inner product with three rows of the input.
  private let weights: [Float]
  private let bias: [Float]

  package init(_ source: some TensorSource, _ name: String, inputs: Int, outputs: Int, stride: Int) throws {
    self.inputs = inputs
    self.stride = stride
    weights = try source.finite(name + ".weight", count: outputs * 3 * inputs)
    bias = try source.finite(name + ".bias", count: outputs)
  }

  /// (times, inputs) -> (times / stride rounded up, outputs).
  package func applied(to features: [Float]) -> [Float] {
    let edge = [Float](repeating: 0, count: inputs)
    let padded = edge + features + edge
    let times = features.count / inputs
    var result: [Float] = []
    result.reserveCapacity((times + stride - 1) / stride * bias.count)
    padded.withUnsafeBufferPointer { padded in
      weights.withUnsafeBufferPointer { weights in
        guard let padded = padded.baseAddress, let weights = weights.baseAddress else { return }
        for time in Swift.stride(from: 0, to: times, by: stride) {
          for output in bias.indices {
            let row = weights + output * 3 * inputs
            result.append(max(innerProduct(padded + time * inputs, row, count: 3 * inputs) + bias[output], 0))
          }
        }
      }
    }
    return result
  }
}
