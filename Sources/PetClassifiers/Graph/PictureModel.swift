// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// A graph that takes one picture, with its outputs by name.
///
/// Parts NAME.0, NAME.1 ... of an output are put one behind the other, which the graph itself cannot do.
final class PictureModel {
  private let executor: GraphExecutor
  private let names: [String]
  /// What black and white are to the graph.
  let range: ClosedRange<Float>

  /// - Throws: `invalidModel`, `unavailable`.
  init(_ weights: GGUFWeights, threads: Int) throws(ClassifierError) {
    executor = try GraphExecutor(try weights.graph(), constants: weights, threads: threads)
    pk_trim_heap()  // loading took several times what stays
    guard executor.graph.inputs.count == 1 else {
      throw .invalidModel("the graph takes \(executor.graph.inputs.count) inputs, not one picture")
    }
    range = executor.graph.inputs[0].range
    names = executor.graph.outputs.map { String($0.name.prefix { $0 != "." }) }
  }

  /// - Parameter outputs: how many numbers each must have.
  /// - Throws: `invalidModel` where the graph has another input or other outputs than these.
  func require(input: [Int], outputs: [String: Int]) throws(ClassifierError) {
    let found = executor.graph.inputs[0].shape
    guard found.sizes == input else { throw .invalidModel("the graph takes a picture of \(found), not \(input)") }
    var counts: [String: Int] = [:]
    for (name, output) in zip(names, executor.graph.outputs) { counts[name, default: 0] += output.shape.count }
    guard counts == outputs else {
      throw .invalidModel(
        "the graph gives \(counts.sorted { $0.key < $1.key }), not \(outputs.sorted { $0.key < $1.key })")
    }
  }

  /// - Parameter picture: as many numbers as the input has, all within ``range``.
  func run(_ picture: [Float]) throws(ClassifierError) -> [String: [Float]] {
    var outputs: [String: [Float]] = [:]
    for (name, numbers) in zip(names, try executor.run([picture])) { outputs[name, default: []] += numbers }
    return outputs
  }
}
