// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// Writes the packed form of a model (`PackedFormat`). The same source gives the same bytes on every machine. Memory: the
/// metadata and a few megabytes, or twice 16 rows of the widest matrix where that is more.
package struct PackedFileWriter {
  private let file: GGUFFile
  private let tensors: [Tensor]
  private let kernels: UnsafePointer<pk_kernels>

  private struct Tensor {
    let source: GGUFTensor
    let isInterleaved: Bool
    let declaration: GGUFTensorDeclaration

    var rowBytes: Int { source.dimensions[0] / source.type.blockElements * source.type.blockBytes }

    /// Bytes that are read at once: whole groups of rows, and about a megabyte.
    var step: Int {
      let unit = isInterleaved ? Int(PK_GROUP_ROWS) * rowBytes : 1
      return max(1, (1 << 20) / unit) * unit
    }
  }

  /// Bytes of all tensors.
  package var byteCount: Int { tensors.reduce(0) { $0 + $1.declaration.byteCount } }
  /// How many tensors have their rows interleaved, of how many.
  package var interleavedCount: Int { tensors.count(where: \.isInterleaved) }
  package var tensorCount: Int { tensors.count }

  /// - Parameter file: a model that this engine runs, not packed.
  /// - Throws: `GGUFError`, `GGUFWriteError`, `InferenceError`.
  package init(_ file: GGUFFile) throws {
    try file.refusePacked()
    _ = try TransformerWeights(file: file)  // what is packed must be what can be run
    self.file = file
    kernels = try KernelVariant.table(nil)
    tensors = try file.tensorNames.compactMap { file.tensors[$0] }.map { tensor in
      Tensor(
        source: tensor, isInterleaved: try PackedFormat.interleaves(tensor, of: file),
        declaration: try GGUFTensorDeclaration(
          name: tensor.name, dimensions: tensor.dimensions, type: tensor.type.kernelType))
    }
  }

  /// Writes the file; it appears under `output` when it is complete, and not at all after an error.
  ///
  /// - Parameters:
  ///   - sourceHash: the SHA-256 of the model's file in lower-case hexadecimal digits.
  ///   - progress: called with the bytes of tensors written so far.
  /// - Returns: the bytes of the file.
  /// - Throws: `QuantizationError.overwritesInput`, `FileError`, `GGUFWriteError`; `CancellationError` when the task is
  ///   cancelled.
  package func write(to output: String, sourceHash: String, progress: (Int) -> Void) throws -> Int {
    precondition(PackedFormat.isHash(sourceHash))
    if let path = FileDraft.replaced(by: output, of: [file.path]) {
      throw QuantizationError.overwritesInput(path: path)
    }
    let source = try RandomAccessFile(path: file.path)
    let writer = try GGUFWriter(path: output, metadata: metadata(sourceHash), tensors: tensors.map(\.declaration))
    let room = tensors.map { min($0.step, $0.source.bytes.count) }.max() ?? 0
    let (read, packed) = (
      Buffer.allocate(byteCount: room, alignment: 64), Buffer.allocate(byteCount: room, alignment: 64)
    )
    defer {
      read.deallocate()
      packed.deallocate()
    }
    var written = 0
    for (index, tensor) in tensors.enumerated() {
      let bytes = tensor.source.bytes
      for start in stride(from: bytes.lowerBound, to: bytes.upperBound, by: tensor.step) {
        try Task.checkCancellation()
        let piece = Buffer(rebasing: read[..<min(tensor.step, bytes.upperBound - start)])
        try source.read(at: start, into: piece)
        if tensor.isInterleaved { interleave(piece, of: tensor, into: packed) }
        let result = (tensor.isInterleaved ? packed : read)[..<piece.count]
        try writer.append(UnsafeRawBufferPointer(Buffer(rebasing: result)), toTensor: index)
        written += piece.count
        progress(written)
      }
    }
    try writer.finish()
    return writer.byteCount
  }

  private typealias Buffer = UnsafeMutableRawBufferPointer

  /// - Parameter rows: whole groups.
  private func interleave(_ rows: Buffer, of tensor: Tensor, into packed: Buffer) {
    kernels.pointee.interleave(
      tensor.source.type.kernelType, rows.baseAddress, tensor.rowBytes, rows.count / tensor.rowBytes,
      tensor.source.dimensions[0], packed.baseAddress)
  }

  /// The keys of the source in its order, with what makes the file a packed one.
  private func metadata(_ sourceHash: String) throws(GGUFError) -> [(key: String, value: GGUFValue)] {
    let architecture = try file.require("general.architecture", file.string("general.architecture"))
    let alignment = max(PackedFormat.alignment, try file.integer("general.alignment") ?? 0)
    let updates: [(key: String, value: GGUFValue)] = [
      ("general.architecture", .text(PackedFormat.name)),
      (PackedFormat.versionKey, .uint32(UInt32(PackedFormat.version))),
      (PackedFormat.architectureKey, .text(architecture)), (PackedFormat.sourceHashKey, .text(sourceHash)),
      ("general.alignment", .uint32(UInt32(alignment))),
    ]
    let kept = file.metadataKeys.filter { key in !updates.contains { $0.key == key } }
    return updates + kept.compactMap { key in file.metadata[key].map { (key, $0) } }
  }
}
