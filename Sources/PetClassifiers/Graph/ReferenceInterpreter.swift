// SPDX-License-Identifier: Apache-2.0
/// Runs a graph slowly, each operation as its definition reads: what ``GraphExecutor`` is checked against.
package struct ReferenceInterpreter {
  private let graph: Graph
  private let constants: [[Float]]

  package init(_ graph: Graph, constants source: some TensorSource) throws(ClassifierError) {
    self.graph = graph
    var constants: [[Float]] = []
    for constant in graph.constants { constants.append(try graph.values(of: constant, in: source)) }
    self.constants = constants
  }

  /// As `GraphExecutor.run`.
  package func run(_ inputs: [[Float]]) throws(ClassifierError) -> [[Float]] {
    try graph.check(inputs)
    var values = inputs + constants
    for node in graph.nodes {
      let operands = node.inputs.map { ReferenceTensor(shape: graph.shape($0), values: values[$0]) }
      values.append(node.operation.reference(operands, shape: node.shape).values)
    }
    return graph.outputs.map { values[$0.value] }
  }
}
