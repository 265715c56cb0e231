// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why a GGUF file was refused: the file, the place in it, and the remedy.
public struct GGUFError: Error, Equatable, CustomStringConvertible {
  public let path: String
  package let reason: Reason

  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  package enum Reason: Error, Equatable {
    // The container.
    case empty
    case notGGUF(magic: UInt32)
    case bigEndian
    case unsupportedVersion(UInt32)
    case truncated(what: String, offset: Int, needed: UInt64, available: Int)
    case tooMany(what: String, count: UInt64, limit: Int)
    case keyLength(offset: Int, length: UInt64)
    case invalidUTF8(what: String, offset: Int)
    case duplicateKey(String)
    case unknownValueType(key: String, type: UInt32)
    case nestedArray(key: String)
    case invalidBool(key: String, value: UInt8)
    case alignment(value: String)
    // Tensors.
    case tensorName(offset: Int, length: UInt64)
    case duplicateTensor(String)
    case tensorRank(tensor: String, rank: UInt32)
    case tensorDimensions(tensor: String, dimensions: [UInt64])
    case unsupportedTensorType(tensor: String, type: UInt32)
    case tensorOffset(tensor: String, offset: UInt64)
    case tensorOutsideFile(tensor: String, offset: UInt64, bytes: UInt64, available: Int)
    case tensorsOverlap(String, String)
    // What a model needs.
    case missingKey(String)
    case keyType(key: String, expected: String)
    case keyValue(key: String, value: String, allowed: String)
    case unsupportedArchitecture(String, supported: [String])
    case unsupportedFeature(key: String, value: String)
    case missingTensor(String)
    case unexpectedTensor(String)
    case tensorShape(tensor: String, found: [Int], expected: [Int])
    case tensorType(tensor: String, found: String, expected: String)
    // Interleaved files.
    case interleaved
    case interleavedVersion(Int, supported: Int)
    case unevenRows(tensor: String, rows: Int)
    /// One part of a model that is split into several files; parts count from 0.
    case split(part: Int, count: Int)
  }

  /// One line: keys and names, which come from the file, are escaped.
  public var description: String { "\(path.printable(atMost: 4096)): \(reason.message.printable(atMost: 1000))" }
}

extension GGUFError.Reason {
  private static let fetchAgain = "fetch or convert the file again"

  var message: String {
    switch self {
    case .empty: "the file is empty; \(Self.fetchAgain)"
    case .notGGUF(let magic):
      "not a GGUF file (it starts with 0x\(String(magic, radix: 16)), not \"GGUF\"); give a .gguf file, or convert a "
        + "Hugging Face folder with `pet models convert`"
    case .bigEndian: "a big-endian GGUF file; convert the model again on a little-endian machine"
    case .unsupportedVersion(let version): "GGUF version \(version); versions 2 and 3 are read: convert the model again"
    case .truncated(let what, let offset, let needed, let available):
      "\(what) at byte \(offset) needs \(needed) bytes and \(available) are left: the file is cut short or damaged; "
        + Self.fetchAgain
    case .tooMany(let what, let count, let limit):
      "\(count) \(what), and at most \(limit) are read: the file is damaged; \(Self.fetchAgain)"
    case .keyLength(let offset, let length):
      "key at byte \(offset) has length \(length), and 1 to 65535 are allowed: the file is damaged; \(Self.fetchAgain)"
    case .invalidUTF8(let what, let offset):
      "\(what) at byte \(offset) is not UTF-8: the file is damaged; \(Self.fetchAgain)"
    case .duplicateKey(let key): "key \(key) stands twice; convert the model again"
    case .unknownValueType(let key, let type): "key \(key) has unknown value type \(type); \(Self.fetchAgain)"
    case .nestedArray(let key): "key \(key) is an array of arrays, which no model needs; convert the model again"
    case .invalidBool(let key, let value): "key \(key) is a truth value of \(value), not 0 or 1; \(Self.fetchAgain)"
    case .alignment(let value):
      "key general.alignment is \(value), and a power of two from 8 to 65536 is needed; convert the model again"
    case .tensorName(let offset, let length):
      "tensor name at byte \(offset) has length \(length), and 1 to 64 are allowed: the file is damaged; \(Self.fetchAgain)"
    case .duplicateTensor(let tensor): "tensor \(tensor) stands twice; convert the model again"
    case .tensorRank(let tensor, let rank):
      "tensor \(tensor) has \(rank) dimensions, and 1 to 4 are read; \(Self.fetchAgain)"
    case .tensorDimensions(let tensor, let dimensions):
      "tensor \(tensor) has dimensions \(dimensions), which are zero, too large, or no whole number of blocks; "
        + Self.fetchAgain
    case .unsupportedTensorType(let tensor, let type):
      "tensor \(tensor) has type \(TensorType.name(ofID: type)); read are \(TensorType.supportedNames): quantize the "
        + "model to one of these"
    case .tensorOffset(let tensor, let offset):
      "tensor \(tensor) starts at data offset \(offset), which is not aligned; \(Self.fetchAgain)"
    case .tensorOutsideFile(let tensor, let offset, let bytes, let available):
      "tensor \(tensor) needs \(bytes) bytes at data offset \(offset) and the data has \(available): the file is cut "
        + "short or damaged; \(Self.fetchAgain)"
    case .tensorsOverlap(let tensor, let other):
      "tensors \(tensor) and \(other) lie on the same bytes; convert the model again"
    case .missingKey(let key): "key \(key) is missing; convert the model again"
    case .keyType(let key, let expected): "key \(key) is not \(expected); convert the model again"
    case .keyValue(let key, let value, let allowed):
      "key \(key) is \(value), and \(allowed) is needed; convert the model again"
    case .unsupportedArchitecture(let name, let supported):
      "architecture \"\(name)\" is not supported; choose a model of \(supported.joined(separator: " or "))"
    case .unsupportedFeature(let key, let value):
      "key \(key) is \(value), which this engine does not do; choose another model"
    case .missingTensor(let tensor): "tensor \(tensor) is missing; \(Self.fetchAgain)"
    case .unexpectedTensor(let tensor):
      "tensor \(tensor) is not part of this architecture, and ignoring it would give wrong answers; choose another model"
    case .tensorShape(let tensor, let found, let expected):
      "tensor \(tensor) has shape \(found), and the metadata asks for \(expected); convert the model again"
    case .tensorType(let tensor, let found, let expected):
      "tensor \(tensor) has type \(found), and \(expected) is needed; convert the model again"
    case .interleaved: "the file's weights are interleaved, for running only; give the file that `pet models pack` read"
    case .interleavedVersion(let version, let supported):
      "the file's weights are interleaved in version \(version), and \(supported) is read: run `pet models pack` on its source again"
    case .split(let part, let count):
      "part \(part &+ 1) of \(count) of a model in several files; join them into one with llama.cpp's `llama-gguf-split --merge`"
    case .unevenRows(let tensor, let rows):
      "tensor \(tensor) has \(rows) rows, and interleaved layers need multiples of 32; use the row-major file"
    }
  }
}
