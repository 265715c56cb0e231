// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetJSON
import PetText

/// Why a folder of weights cannot be imported. Every message names the file, the fault and the remedy.
package enum ImportError: Error, Equatable, Sendable, CustomStringConvertible {
  case missingFile(path: String, advice: String)
  case fileTooLarge(path: String, size: Int, limit: Int)
  case malformedJSON(path: String, JSONError)
  /// A value of a configuration file that is missing or out of range.
  case invalidValue(path: String, key: String, value: String?, expected: String)
  case unsupportedArchitecture(path: String, name: String, known: [String])
  case unsupportedFeature(path: String, feature: String, advice: String)
  case safetensors(path: String, SafetensorsProblem)
  /// The index names a shard by a path that could leave the folder.
  case unsafeFileName(path: String, name: String)
  case tensorInTwoFiles(tensor: String, first: String, second: String)
  /// The index and the shard disagree about where a tensor is.
  case tensorNotWhereIndexed(path: String, tensor: String, index: String)
  case missingTensor(folder: String, tensor: String)
  case unknownTensor(path: String, tensor: String, architecture: String)
  case wrongShape(path: String, tensor: String, shape: [Int], expected: [Int])
  /// A value outside the range of the requested type.
  case notRepresentable(path: String, tensor: String, element: Int, value: Float, type: String)
  case vocabulary(path: String, problem: String)

  package var description: String {
    switch self {
    case .missingFile(let path, let advice): "\(path.printable): no such file; \(advice)"
    case .fileTooLarge(let path, let size, let limit):
      "\(path.printable): \(size) bytes where at most \(limit) make sense; is it the right file?"
    case .malformedJSON(let path, let error):
      switch error {
      case .tooLarge: "\(path.printable): JSON of \(error); is it the right file?"
      case .syntax, .invalid: "\(path.printable): not valid JSON: \(error); fetch the file again"
      }
    case .invalidValue(let path, let key, let value, let expected):
      "\(path.printable): '\(key.printable)' is \(value?.printable ?? "missing"), expected \(expected)"
    case .unsupportedArchitecture(let path, let name, let known):
      "\(path.printable): architecture '\(name.printable)' is not known; known are \(known.joined(separator: ", "))"
    case .unsupportedFeature(let path, let feature, let advice): "\(path.printable): \(feature.printable); \(advice)"
    case .safetensors(let path, let problem): "\(path.printable): \(problem)"
    case .unsafeFileName(let path, let name):
      "\(path.printable): shard '\(name.printable)' is not a plain file name ending in .safetensors"
    case .tensorInTwoFiles(let tensor, let first, let second):
      "\(second.printable): tensor '\(tensor.printable)' is in \(first.printable) too; fetch the shards again"
    case .tensorNotWhereIndexed(let path, let tensor, let index):
      "\(path.printable): tensor '\(tensor.printable)' and \(index.printable) disagree; fetch index and shards again"
    case .missingTensor(let folder, let tensor):
      "\(folder.printable): tensor '\(tensor.printable)' is in none of its safetensors files; fetch the missing files"
    case .unknownTensor(let path, let tensor, let architecture):
      "\(path.printable): tensor '\(tensor.printable)' has no place in \(architecture); "
        + "remove it or merge the adapter it belongs to"
    case .wrongShape(let path, let tensor, let shape, let expected):
      "\(path.printable): tensor '\(tensor.printable)' has shape \(shape), but config.json asks for \(expected)"
    case .notRepresentable(let path, let tensor, let element, let value, let type):
      "\(path.printable): tensor '\(tensor.printable)' element \(element) is \(value), which \(type) cannot hold; "
        + "convert with --type \(type == "f16" ? "bf16" : "f32")"
    case .vocabulary(let path, let problem): "\(path.printable): \(problem.printable)"
    }
  }
}
