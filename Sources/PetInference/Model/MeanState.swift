// SPDX-License-Identifier: Apache-2.0
/// The mean of hidden states, normalized.
///
/// States are added in order, in double precision, so the sum does not depend on the batches of the text.
package struct MeanState: Sendable {
  private var sum: [Double]

  /// - Parameter width: length of a hidden state.
  package init(width: Int) { sum = [Double](repeating: 0, count: width) }

  /// - Parameter state: [width]
  package mutating func add(_ state: UnsafeBufferPointer<Float>) {
    for index in sum.indices { sum[index] += Double(state[index]) }
  }

  /// The mean scaled to length 1; nil where its length is 0 or not finite.
  package var direction: [Float]? {
    let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 0, length.isFinite else { return nil }
    return sum.map { Float($0 / length) }
  }
}
