// SPDX-License-Identifier: Apache-2.0
import SeededGenerator

import PetClassifiers

/// Numbers that a test makes itself.
struct GivenTensors: TensorSource {
  var tensors: [String: [Float]]

  func floats(_ name: String, count: Int) throws(ClassifierError) -> [Float] {
    guard let values = tensors[name], values.count == count else { throw .invalidModel("no tensor \"\(name)\"") }
    return values
  }
}

/// A definition of one node, "y", of the input "x" and constants "a", "b" (or a second input "a").
struct SmallGraph {
  var op: String
  var x: [Int]
  var constants: [(name: String, shape: [Int])] = []
  var hasSecondInput = false
  var y: [Int]
  /// JSON of the attributes, such as `"block": 2`.
  var attributes: [String] = []

  var json: [UInt8] {
    let named = constants.map { #"{"name": "\#($0.name)", "shape": \#($0.shape)}"# }
    var inputs = [#"{"name": "x", "shape": \#(x), "range": [-4, 4]}"#]
    if hasSecondInput { inputs.append(#"{"name": "a", "shape": \#(x), "range": [-4, 4]}"#) }
    let operands = ["x"] + (hasSecondInput ? ["a"] : []) + constants.map(\.name)
    let node =
      [#""op": "\#(op)", "inputs": \#(operands), "output": "y", "shape": \#(y)"#] + attributes
    let text = """
      {"version": 1, "inputs": [\(inputs.joined(separator: ", "))], "outputs": [{"name": "y", "shape": \(y)}],
       "constants": [\(named.joined(separator: ", "))], "nodes": [{\(node.joined(separator: ", "))}]}
      """
    return Array(text.utf8)
  }
}

extension SeededGenerator {
  mutating func floats(_ count: Int) -> [Float] { (0..<count).map { _ in Float.random(in: -2...2, using: &self) } }
}
