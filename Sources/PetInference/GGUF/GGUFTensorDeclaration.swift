// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Name, type and dimensions of a tensor that a `GGUFWriter` writes.
public struct GGUFTensorDeclaration: Sendable, Equatable {
  package let name: String
  /// Elements along each dimension, the contiguous one first (the reverse of a PyTorch shape).
  package let dimensions: [Int]
  package let type: pk_type
  /// Bytes of the data, without padding.
  package let byteCount: Int

  /// - Throws: `GGUFWriteError` when name, dimensions and type do not make a tensor that readers accept.
  package init(name: String, dimensions: [Int], type: pk_type) throws(GGUFWriteError) {
    // ggml keeps names in 64 bytes with a final zero.
    guard (1...63).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .invalidTensorName(name)
    }
    let block = Int(pk_block_elements(type))
    guard block > 0 else { throw .unsupportedType(tensor: name, type: type.rawValue) }
    guard (1...4).contains(dimensions.count), dimensions.allSatisfy({ $0 > 0 }) else {
      throw .invalidDimensions(tensor: name, dimensions)
    }
    guard dimensions[0].isMultiple(of: block) else {
      throw .partialBlock(tensor: name, columns: dimensions[0], block: block)
    }
    var bytes = Int(pk_block_bytes(type))
    for factor in [dimensions[0] / block] + dimensions.dropFirst() {
      let (product, overflow) = bytes.multipliedReportingOverflow(by: factor)
      guard !overflow else { throw .invalidDimensions(tensor: name, dimensions) }
      bytes = product
    }
    self.name = name
    self.dimensions = dimensions
    self.type = type
    self.byteCount = bytes
  }
}
