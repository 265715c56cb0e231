// SPDX-License-Identifier: Apache-2.0
import PetFiles

/// An open GGUF file (versions 2 and 3, little-endian): metadata, and tensors in the mapped file.
///
/// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
public final class GGUFFile: Sendable {
  package let mapping: MappedFile
  package let version: UInt32
  public let metadata: [String: GGUFValue]
  /// Keys of the metadata in the order of the file.
  package let metadataKeys: [String]
  package let tensors: [String: GGUFTensor]
  /// Tensor names in the order of the file.
  package let tensorNames: [String]

  public var path: String { mapping.path }

  /// Opens and validates the file at `path`. O(size of the header); tensor data is not touched.
  /// - Throws: `FileError`, `GGUFError`.
  public convenience init(path: String) throws {
    try self.init(mapping: MappedFile(path: path))
  }

  /// Validates a mapped file. O(size of the header); tensor data is not touched.
  package init(mapping: MappedFile) throws(GGUFError) {
    let contents = try Self.parse(mapping)
    self.mapping = mapping
    version = contents.version
    metadata = contents.metadata
    metadataKeys = contents.metadataKeys
    tensors = contents.tensors
    tensorNames = contents.tensorNames
  }

  private static func parse(_ mapping: MappedFile) throws(GGUFError) -> GGUFParser.Contents {
    do {
      return try GGUFParser.parse(mapping)
    } catch {
      throw GGUFError(path: mapping.path, reason: error)
    }
  }

  /// The bytes of one tensor. Valid as long as this file object lives.
  package func data(of tensor: GGUFTensor) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: mapping.bytes[tensor.bytes])
  }
}
