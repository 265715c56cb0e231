// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetJSON
import PetText

/// What is wrong with a safetensors file.
package enum SafetensorsProblem: Error, Equatable, Sendable, CustomStringConvertible {
  case tooShort(size: Int)
  case headerTooLarge(size: UInt64, limit: Int)
  case headerBeyondFile(size: UInt64, fileSize: Int)
  /// Another kind of file with safetensors' name, or a file that is two kinds at once.
  case headerNotObject
  case malformedHeader(JSONError)
  case tooManyTensors(limit: Int)
  case invalidName(String)
  case missingField(tensor: String, field: String)
  case unknownField(tensor: String, field: String)
  case unsupportedType(tensor: String, type: String)
  case invalidShape(tensor: String)
  case invalidOffsets(tensor: String, begin: Int, end: Int)
  case beyondFile(tensor: String, end: Int, dataSize: Int)
  case wrongByteCount(tensor: String, bytes: Int, expected: Int)
  case overlap(tensor: String, begin: Int, previousEnd: Int)
  case hole(tensor: String, begin: Int, previousEnd: Int)
  case trailingBytes(count: Int)

  package var description: String { problem + "; the file is damaged or not safetensors: fetch it again" }

  private var problem: String {
    switch self {
    case .tooShort(let size): "\(size) bytes are too few for a safetensors header"
    case .headerTooLarge(let size, let limit): "header of \(size) bytes, at most \(limit) are allowed"
    case .headerBeyondFile(let size, let fileSize): "header of \(size) bytes in a file of \(fileSize)"
    case .headerNotObject: "header does not begin with '{'"
    case .malformedHeader(let error): "header is malformed: \(error)"
    case .tooManyTensors(let limit): "more than \(limit) tensors"
    case .invalidName(let name):
      "tensor name '\(name.printable)' is not 1 to 256 printable ASCII characters"
    case .missingField(let tensor, let field): "tensor '\(tensor.printable)' has no \(field)"
    case .unknownField(let tensor, let field):
      "tensor '\(tensor.printable)' has an unknown field '\(field.printable)'"
    case .unsupportedType(let tensor, let type):
      "tensor '\(tensor.printable)' has type \(type.printable); known are F32, F16, BF16"
    case .invalidShape(let tensor): "tensor '\(tensor.printable)' has a shape that is not up to 8 sizes in range"
    case .invalidOffsets(let tensor, let begin, let end):
      "tensor '\(tensor.printable)' has offsets \(begin) to \(end)"
    case .beyondFile(let tensor, let end, let dataSize):
      "tensor '\(tensor.printable)' ends at \(end) of \(dataSize) data bytes"
    case .wrongByteCount(let tensor, let bytes, let expected):
      "tensor '\(tensor.printable)' spans \(bytes) bytes, its type and shape make \(expected)"
    case .overlap(let tensor, let begin, let previousEnd):
      "tensor '\(tensor.printable)' begins at \(begin), inside the one before, which ends at \(previousEnd)"
    case .hole(let tensor, let begin, let previousEnd):
      "unused bytes \(previousEnd) to \(begin) before tensor '\(tensor.printable)'"
    case .trailingBytes(let count): "\(count) bytes after the last tensor"
    }
  }
}
