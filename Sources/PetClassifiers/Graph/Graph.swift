// SPDX-License-Identifier: Apache-2.0
/// A graph that was checked in full and can be run: names are resolved, every shape is known and what was stated.
///
/// Values are numbered: inputs, then constants, then the results of the nodes in their order.
package struct Graph: Sendable {
  package struct Input: Sendable, Equatable {
    package let name: String
    package let shape: TensorShape
    package let range: ClosedRange<Float>
  }

  package struct Output: Sendable, Equatable {
    package let name: String
    package let shape: TensorShape
    /// Number of the value.
    let value: Int
  }

  package struct Constant: Sendable, Equatable {
    package let name: String
    package let shape: TensorShape
  }

  package struct Node: Sendable, Equatable {
    package let operation: GraphOperation
    /// Numbers of values, each smaller than that of the node's result.
    let inputs: [Int]
    package let shape: TensorShape
  }

  package let inputs: [Input]
  package let outputs: [Output]
  package let constants: [Constant]
  package let nodes: [Node]
  /// Multiplications with additions of one run.
  package let operationCount: Int

  /// Shape of a value by its number.
  package func shape(_ value: Int) -> TensorShape {
    if value < inputs.count { return inputs[value].shape }
    if value < inputs.count + constants.count { return constants[value - inputs.count].shape }
    return nodes[value - inputs.count - constants.count].shape
  }

  /// Number of the value that node `index` gives.
  package func value(ofNode index: Int) -> Int { inputs.count + constants.count + index }
}
