// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetInference
import Testing

/// Models, row-major and interleaved, in a folder that goes with its owner.
final class InterleavedFixture {
  let source: GGUFFile
  let interleaved: GGUFFile
  private let folder: TemporaryFile

  static let hash = String(repeating: "0123456789abcdef", count: 4)

  init(_ path: String) throws {
    folder = try TemporaryFile([])
    source = try GGUFFile(path: path)
    _ = try InterleavedFileWriter(source).write(to: folder.path, sourceHash: Self.hash) { _ in }
    interleaved = try GGUFFile(path: folder.path)
  }

  static func small(_ name: String = "llama-gqa") throws -> InterleavedFixture {
    try InterleavedFixture(Fixtures.path("models/\(name)/model.gguf"))
  }

  var interleavedBytes: [UInt8] { Array(interleaved.mapping.bytes) }

  /// The tensors of `file` with other keys: nil removes one, and new ones come last.
  static func rewrite(_ file: GGUFFile, _ changes: [String: GGUFValue?]) throws -> TemporaryFile {
    let result = try TemporaryFile([])
    let kept = file.metadataKeys.compactMap { key -> (key: String, value: GGUFValue)? in
      (changes[key] ?? file.metadata[key]).map { (key, $0) }
    }
    let new = changes.keys.sorted().filter { file.metadata[$0] == nil }.compactMap { key in
      (changes[key] ?? nil).map { (key: key, value: $0) }
    }
    let tensors = file.tensorNames.compactMap { file.tensors[$0] }
    let writer = try GGUFWriter(
      path: result.path, metadata: kept + new,
      tensors: tensors.map {
        try GGUFTensorDeclaration(name: $0.name, dimensions: $0.dimensions, type: $0.type.kernelType)
      })
    for (index, tensor) in tensors.enumerated() { try writer.append(file.data(of: tensor), toTensor: index) }
    try writer.finish()
    return result
  }
}
