// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// Writes a model as an interleaved file (`InterleavedFormat`). The same source gives the same bytes on every machine. Memory:
/// the metadata and a few megabytes, or twice 16 rows of the widest matrix where that is more.
package struct InterleavedFileWriter {
  private let file: GGUFFile
  private let tensors: [Tensor]
  private let kernels: UnsafePointer<pk_kernels>

  private struct Tensor {
    let source: GGUFTensor
    let layout: WeightLayout
    let declaration: GGUFTensorDeclaration

    var rowBytes: Int { source.type.bytes(ofRow: source.dimensions[0]) }

    /// Bytes per read: whole groups of rows, about a megabyte.
    var step: Int {
      let unit = layout == .interleaved ? WeightInterleaving.groupRows * rowBytes : 1
      return max(1, (1 << 20) / unit) * unit
    }
  }

  /// Bytes of all tensors.
  package var byteCount: Int { tensors.reduce(0) { $0 + $1.declaration.byteCount } }
  /// How many tensors are interleaved, of how many.
  package var interleavedCount: Int { tensors.count { $0.layout == .interleaved } }
  package var tensorCount: Int { tensors.count }

  /// - Parameter file: a row-major model that this engine runs.
  /// - Throws: `GGUFError`, `GGUFWriteError`, `InferenceError`.
  package init(_ file: GGUFFile) throws {
    try file.refuseInterleaved()
    _ = try TransformerWeights(file: file)  // refuses what cannot be run
    self.file = file
    kernels = try KernelVariant.table(nil)
    tensors = try file.tensorNames.compactMap { file.tensors[$0] }.map { tensor in
      Tensor(
        source: tensor, layout: try InterleavedFormat.layout(of: tensor, in: file),
        declaration: try GGUFTensorDeclaration(
          name: tensor.name, dimensions: tensor.dimensions, type: tensor.type.kernelType))
    }
  }

  /// Writes the file. The write is atomic: after an error `output` is unchanged.
  ///
  /// - Parameters:
  ///   - sourceHash: the SHA-256 of the model's file in lower-case hexadecimal digits.
  ///   - progress: called with the bytes of tensors written so far.
  /// - Returns: the bytes of the file.
  /// - Throws: `QuantizationError.overwritesInput`, `FileError`, `GGUFWriteError`; `CancellationError` when the task is
  ///   cancelled.
  package func write(to output: String, sourceHash: String, progress: (Int) -> Void) throws -> Int {
    precondition(InterleavedFormat.isHash(sourceHash))
    if let path = FileDraft.replaced(by: output, of: [file.path]) {
      throw QuantizationError.overwritesInput(path: path)
    }
    let source = try RandomAccessFile(path: file.path)
    let writer = try GGUFWriter(path: output, metadata: metadata(sourceHash), tensors: tensors.map(\.declaration))
    let room = tensors.map { min($0.step, $0.source.bytes.count) }.max() ?? 0
    let (read, interleaved) = (
      Buffer.allocate(byteCount: room, alignment: 64), Buffer.allocate(byteCount: room, alignment: 64)
    )
    defer {
      read.deallocate()
      interleaved.deallocate()
    }
    var written = 0
    for (index, tensor) in tensors.enumerated() {
      let bytes = tensor.source.bytes
      for start in stride(from: bytes.lowerBound, to: bytes.upperBound, by: tensor.step) {
        try Task.checkCancellation()
        let piece = Buffer(rebasing: read[..<min(tensor.step, bytes.upperBound - start)])
        try source.read(at: start, into: piece)
        var result = piece
        if tensor.layout == .interleaved {
          result = Buffer(rebasing: interleaved[..<piece.count])
          interleave(piece, of: tensor, into: result)
        }
        try writer.append(UnsafeRawBufferPointer(result), toTensor: index)
        written += piece.count
        progress(written)
      }
    }
    try writer.finish()
    return writer.byteCount
  }

  private typealias Buffer = UnsafeMutableRawBufferPointer

  /// - Parameter rows: whole groups.
  private func interleave(_ rows: Buffer, of tensor: Tensor, into groups: Buffer) {
    guard let source = rows.baseAddress, let destination = groups.baseAddress else { return }
    WeightInterleaving.interleave(
      source, type: tensor.source.type, rows: rows.count / tensor.rowBytes, columns: tensor.source.dimensions[0],
      into: destination, with: kernels)
  }

  /// The keys of the source in its order, with those that declare the file interleaved.
  private func metadata(_ sourceHash: String) throws(GGUFError) -> [(key: String, value: GGUFValue)] {
    let architecture = try file.require("general.architecture", file.string("general.architecture"))
    let alignment = max(InterleavedFormat.alignment, try file.integer("general.alignment") ?? 0)
    let updates: [(key: String, value: GGUFValue)] = [
      ("general.architecture", .text(InterleavedFormat.name)),
      (InterleavedFormat.versionKey, .uint32(UInt32(InterleavedFormat.version))),
      (InterleavedFormat.architectureKey, .text(architecture)), (InterleavedFormat.sourceHashKey, .text(sourceHash)),
      ("general.alignment", .uint32(UInt32(alignment))),
    ]
    let kept = file.metadataKeys.filter { key in !updates.contains { $0.key == key } }
    return updates + kept.compactMap { key in file.metadata[key].map { (key, $0) } }
  }
}
