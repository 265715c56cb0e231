// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

/// What packing made.
package struct PackingSummary: Sendable, Equatable {
  /// Sizes of the two files.
  package let inputBytes: Int
  package let outputBytes: Int
  /// Tensors that lie as the kernels like them best now, of how many.
  package let interleaved: Int
  package let tensors: Int
  /// The SHA-256 of the source, which the packed file holds.
  package let source: SHA256Hash
}

/// Turns a GGUF model into one whose weights lie in the file as the kernels like them best, so that none are copied.
///
/// The file is for this engine alone; other programs refuse it. Replies and logits are those of the source.
package enum ModelPacker {
  /// Writes the file; it appears under `output` when it is complete, and not at all after an error. The same input gives the
  /// same bytes, on every machine. Memory: the metadata and a few megabytes. O(size of the file), read twice.
  ///
  /// - Parameters:
  ///   - input: a GGUF model that this engine runs.
  ///   - output: the file to make; another one that is there is replaced.
  ///   - progress: called about once per megabyte, on this thread, with what is done of the hash and of the file together.
  /// - Throws: `GGUFError`, `QuantizationError.overwritesInput`, `GGUFWriteError`, `FileError`, `VerificationError`,
  ///   `InferenceError`; `CancellationError` when the task is cancelled.
  package static func pack(
    input: String, output: String, progress: (ImportProgress) -> Void = { _ in }
  ) throws -> PackingSummary {
    let file = try GGUFFile(path: input)
    let inputBytes = file.mapping.bytes.count
    let packer = try PackedFileWriter(file)
    let total = inputBytes + packer.byteCount
    let source = try FileVerifier.hash(of: input) { progress(ImportProgress(written: Int($0), total: total)) }
    let outputBytes = try packer.write(to: output, sourceHash: source.description) {
      progress(ImportProgress(written: inputBytes + $0, total: total))
    }
    return PackingSummary(
      inputBytes: inputBytes, outputBytes: outputBytes, interleaved: packer.interleavedCount,
      tensors: packer.tensorCount, source: source)
  }
}
