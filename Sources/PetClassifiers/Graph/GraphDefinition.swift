// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A graph as its file describes it, in JSON under `graph.definition`; nothing is checked yet but the form.
///
/// ```json
/// {"version": 1,
///  "inputs": [{"name": "image", "shape": [1, 64, 64, 1], "range": [-1, 1]}],
///  "outputs": [{"name": "probabilities", "shape": [1, 7]}],
///  "constants": [{"name": "c1", "shape": [8, 3, 3, 1]}, {"name": "c2", "shape": [8]}],
///  "nodes": [{"op": "conv2d", "inputs": ["image", "c1", "c2"], "output": "v0", "shape": [1, 62, 62, 8],
///             "stride": [1, 1], "padding": [0, 0, 0, 0], "activation": "relu"}]}
/// ```
///
/// Constants are tensors of the file, by name. Padding is top, right, bottom, left. Operations and their attributes:
/// ``GraphOperation``.
package struct GraphDefinition: Decodable, Equatable, Sendable {
  package let version: Int
  package let inputs: [Input]
  package let outputs: [Named]
  package let constants: [Named]
  package let nodes: [Node]

  package struct Input: Decodable, Equatable, Sendable {
    package let name: String
    package let shape: [Int]
    /// Lowest and highest value that may be given.
    package let range: [Float]
  }

  package struct Named: Decodable, Equatable, Sendable {
    package let name: String
    package let shape: [Int]
  }

  package struct Node: Decodable, Equatable, Sendable {
    package let operation: GraphOperation
    package let inputs: [String]
    package let output: String
    package let shape: [Int]

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: AnyKey.self)
      inputs = try container.decode([String].self, forKey: AnyKey(stringValue: "inputs"))
      output = try container.decode(String.self, forKey: AnyKey(stringValue: "output"))
      shape = try container.decode([Int].self, forKey: AnyKey(stringValue: "shape"))
      operation = try GraphOperation(from: container, others: ["inputs", "output", "shape"])
    }
  }

  /// Some 50 times what the largest of the shipped graphs needs.
  package static let byteLimit = 1 << 20

  /// - Throws: `invalidModel` where the text is not JSON of this form, or longer than 1 MiB.
  package init(json: [UInt8]) throws(ClassifierError) {
    guard json.count <= Self.byteLimit else {
      throw .invalidModel("graph.definition has \(json.count) bytes, more than \(Self.byteLimit)")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json))
    } catch let error as ClassifierError {
      throw error
    } catch let error as DecodingError {
      throw .invalidModel("graph.definition: \(Self.reason(error))")
    } catch {
      throw .invalidModel("graph.definition cannot be read")
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): "\(path(context)) has no \"\(key.stringValue)\""
    case .typeMismatch(_, let context), .valueNotFound(_, let context): "\(path(context)) is of the wrong type"
    case .dataCorrupted(let context): "\(path(context)) cannot be read"
    @unknown default: "it cannot be read"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    return path.isEmpty ? "the whole" : path.joined(separator: ".")
  }
}
