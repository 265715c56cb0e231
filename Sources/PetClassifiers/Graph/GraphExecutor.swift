// SPDX-License-Identifier: Apache-2.0
import CXNNPACK

/// Runs a graph on XNNPACK (https://github.com/google/XNNPACK), on one thread or several.
///
/// Not for several tasks at once: an actor owns it. Running takes no memory.
package final class GraphExecutor {
  package let graph: Graph

  /// Those that are read while the graph runs.
  private let constants: [FloatStorage]
  private let inputs: [FloatStorage]
  private let outputs: [FloatStorage]
  private let runtime: XNNRuntime

  /// Loads constants and prepares the operators, which keep constants packed as they need them; memory is that of the packed
  /// ones.
  /// - Parameter threads: 1 runs on the caller's thread.
  /// - Throws: `invalidModel` where constants are missing, not finite, or operators refuse; `unavailable` where XNNPACK does
  ///   not support the machine.
  /// - Complexity: O(elements of constants).
  package init(_ graph: Graph, constants source: some TensorSource, threads: Int = 1) throws(ClassifierError) {
    self.graph = graph
    try XNNRuntime.initializeLibrary()
    var constants: [FloatStorage] = []
    for constant in graph.constants {
      constants.append(FloatStorage(try graph.values(of: constant, in: source)))
    }
    inputs = graph.inputs.map { FloatStorage(count: $0.shape.count) }
    outputs = graph.outputs.map { FloatStorage(count: $0.shape.count) }
    let subgraph = try XNNSubgraph(graph, constants: constants)
    runtime = try XNNRuntime(subgraph, threads: threads)
    // Operators have packed copies of the others.
    self.constants = zip(graph.constants.indices, constants).filter { graph.readsWhileRunning(constant: $0.0) }.map(\.1)
    try runtime.connect(inputs + outputs)
  }

  /// Runs the graph once.
  /// - Parameter values: for each input of the graph as many numbers as its shape has elements, within its range.
  /// - Returns: for each output of the graph its numbers; they are finite.
  /// - Throws: `invalidInput` where numbers are missing, not finite or out of range; `inferenceFailed`.
  package func run(_ values: [[Float]]) throws(ClassifierError) -> [[Float]] {
    try graph.check(values)
    for (storage, numbers) in zip(inputs, values) { storage.fill(numbers) }
    try runtime.invoke()
    let results = outputs.map(\.values)
    guard results.allSatisfy(\.areFinite) else { throw .inferenceFailed("an output is not a finite number") }
    return results
  }
}

extension Graph {
  /// Whether a constant is an operand of anything but what XNNPACK packs when it makes an operator: filters, biases, slopes.
  fileprivate func readsWhileRunning(constant index: Int) -> Bool {
    let value = inputs.count + index
    return nodes.contains { node in
      switch node.operation {
      case .conv2d, .depthwiseConv2d, .fullyConnected, .prelu: node.inputs.first == value
      default: node.inputs.contains(value)
      }
    } || outputs.contains { $0.value == value }
  }

  /// The numbers of a constant, all of them finite.
  package func values(of constant: Constant, in source: some TensorSource) throws(ClassifierError) -> [Float] {
    let values = try source.floats(constant.name, count: constant.shape.count)
    guard values.count == constant.shape.count else {
      throw .invalidModel("tensor \"\(constant.name)\" has \(values.count) numbers instead of \(constant.shape.count)")
    }
    guard values.areFinite else { throw .invalidModel("tensor \"\(constant.name)\" has a number that is not finite") }
    return values
  }

  /// Whether these numbers may be given to the graph.
  package func check(_ values: [[Float]]) throws(ClassifierError) {
    guard values.count == inputs.count else {
      throw .invalidInput("\(values.count) inputs instead of \(inputs.count)")
    }
    for (input, numbers) in zip(inputs, values) {
      guard numbers.count == input.shape.count else {
        throw .invalidInput("input \"\(input.name)\" has \(numbers.count) numbers instead of \(input.shape.count)")
      }
      guard numbers.areWithin(input.range) else {
        throw .invalidInput("input \"\(input.name)\" has a number that is not within \(input.range)")
      }
    }
  }
}

extension [Float] {
  /// Whether none is infinite or not a number. Without branches, so that it is done in vectors.
  package var areFinite: Bool { reduce(into: Float(0)) { $0 += $1 * 0 } == 0 }

  /// Whether all are within bounds that are finite; what is not a number is not.
  package func areWithin(_ range: ClosedRange<Float>) -> Bool {
    let (low, high) = (range.lowerBound, range.upperBound)
    return reduce(into: 0) { outside, value in outside += value >= low && value <= high ? 0 : 1 } == 0
  }
}
