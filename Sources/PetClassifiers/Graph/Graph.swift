// SPDX-License-Identifier: Apache-2.0
/// A graph that was checked in full and can be run: names are resolved, every shape is known and what was stated.
///
/// Values are numbered: inputs, then constants, then the results of the nodes in their order.
public struct Graph: Sendable {
  public struct Input: Sendable, Equatable {
    public let name: String
    public let shape: TensorShape
    public let range: ClosedRange<Float>
  }

  public struct Output: Sendable, Equatable {
    public let name: String
    public let shape: TensorShape
    /// Number of the value.
    let value: Int
  }

  public struct Constant: Sendable, Equatable {
    public let name: String
    public let shape: TensorShape
  }

  public struct Node: Sendable, Equatable {
    public let operation: GraphOperation
    /// Numbers of values, each smaller than that of the node's result.
    let inputs: [Int]
    public let shape: TensorShape
  }

  public let inputs: [Input]
  public let outputs: [Output]
  public let constants: [Constant]
  public let nodes: [Node]
  /// Multiplications with additions of one run.
  public let operationCount: Int

  /// Shape of a value by its number.
  package func shape(_ value: Int) -> TensorShape {
    if value < inputs.count { return inputs[value].shape }
    if value < inputs.count + constants.count { return constants[value - inputs.count].shape }
    return nodes[value - inputs.count - constants.count].shape
  }

  /// Number of the value that node `index` gives.
  package func value(ofNode index: Int) -> Int { inputs.count + constants.count + index }
}
