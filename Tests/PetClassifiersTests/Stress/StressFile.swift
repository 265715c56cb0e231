// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetClassifiers
import PetInference
import PetRuntime

/// The file of the classifier that ships, in parts that a test can change.
struct StressFile: TensorSource {
  var definition: String
  var tensors: [String: [Float]]

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let file = try GGUFFile(
      path: root.appending(path: "Models/parent-stress/parent-stress.gguf").standardizedFileURL.path)
    definition = try file.require("stress.definition", file.string("stress.definition"))
    tensors = file.tensors.mapValues { tensor in
      let bytes = file.data(of: tensor)
      return stride(from: 0, to: bytes.count, by: 4).map { offset in
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      }
    }
  }

  func floats(_ name: String, count: Int) throws(ClassifierError) -> [Float] {
    guard let values = tensors[name] else { throw .invalidModel("there is no tensor \(name)") }
    return values
  }

  func classifier() throws -> StressClassifier { try StressClassifier(definition: definition, tensors: self) }
}

extension StressSignals {
  init(csvText text: String) throws { try self.init(csv: Array(text.utf8)) }
  init(jsonText text: String) throws { try self.init(json: Array(text.utf8)) }
}
