// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why a GGUF file cannot be written: the requested contents are invalid.
package enum GGUFWriteError: Error, Equatable, Sendable, CustomStringConvertible {
  case invalidKey(String)
  case duplicateKey(String)
  /// An array whose type, count and bytes are inconsistent, or an array of arrays.
  case malformedValue(key: String)
  case invalidAlignment(GGUFValue)
  case invalidTensorName(String)
  case duplicateTensor(String)
  /// Not 1 to 4 dimensions, one of them not positive, or a byte count that overflows.
  case invalidDimensions(tensor: String, [Int])
  case unsupportedType(tensor: String, type: Int32)
  /// The first dimension is not a multiple of the type's block.
  case partialBlock(tensor: String, columns: Int, block: Int)
  case tooLarge(path: String)
  /// Data was appended out of order.
  case outOfOrder(tensor: String, expected: String?)
  case tooManyBytes(tensor: String, declared: Int)
  case missingBytes(tensor: String, declared: Int, written: Int)

  package var description: String {
    switch self {
    case .invalidKey(let key):
      "GGUF key '\(key.printable)': must be 1 to 65535 printable ASCII characters"
    case .duplicateKey(let key): "GGUF key '\(key.printable)' is given twice"
    case .malformedValue(let key): "GGUF key '\(key.printable)': the array's count and bytes disagree"
    case .invalidAlignment(let value):
      "GGUF key 'general.alignment': \(value) is not a uint32 power of two from 8 to 65536"
    case .invalidTensorName(let name):
      "GGUF tensor '\(name.printable)': a name must be 1 to 63 printable ASCII characters"
    case .duplicateTensor(let name): "GGUF tensor '\(name.printable)' is declared twice"
    case .invalidDimensions(let tensor, let dimensions):
      "GGUF tensor '\(tensor.printable)': dimensions \(dimensions) are not 1 to 4 positive numbers of countable size"
    case .unsupportedType(let tensor, let type):
      "GGUF tensor '\(tensor.printable)': type \(type) is not supported"
    case .partialBlock(let tensor, let columns, let block):
      "GGUF tensor '\(tensor.printable)': \(columns) columns are no multiple of the type's block of \(block)"
    case .tooLarge(let path): "\(path.printable): the tensors together are larger than a file can be"
    case .outOfOrder(let tensor, let expected):
      "GGUF tensor '\(tensor.printable)' came where \(expected.map { "'\($0.printable)'" } ?? "the end") was due"
    case .tooManyBytes(let tensor, let declared):
      "GGUF tensor '\(tensor.printable)': more than its \(declared) bytes were given"
    case .missingBytes(let tensor, let declared, let written):
      "GGUF tensor '\(tensor.printable)': \(written) of its \(declared) bytes were given"
    }
  }
}
