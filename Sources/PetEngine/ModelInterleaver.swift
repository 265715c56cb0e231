// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

/// What interleaving a model made.
package struct InterleavingSummary: Sendable, Equatable {
  /// Sizes of the two files.
  package let inputBytes: Int
  package let outputBytes: Int
  /// How many tensors are interleaved, of how many.
  package let interleaved: Int
  package let tensors: Int
  /// The SHA-256 of the source, which the interleaved file holds.
  package let source: SHA256Hash
}

/// Writes a GGUF model as an interleaved file, which is run without copies of its weights.
///
/// The file is for this engine alone; other programs refuse it. Replies and logits are those of the source.
package enum ModelInterleaver {
  /// Writes the file; it appears under `output` when it is complete, and not at all after an error. The same input gives the
  /// same bytes, on every machine. Memory: the metadata and a few megabytes. O(size of the file), read twice.
  ///
  /// - Parameters:
  ///   - input: a GGUF model that this engine runs.
  ///   - output: the file to make; another one that is there is replaced.
  ///   - progress: called about once per megabyte, on this thread, with what is done of the hash and of the file together.
  /// - Throws: `GGUFError`, `QuantizationError.overwritesInput`, `GGUFWriteError`, `FileError`, `VerificationError`,
  ///   `InferenceError`; `CancellationError` when the task is cancelled.
  package static func interleave(
    input: String, output: String, progress: (ImportProgress) -> Void = { _ in }
  ) throws -> InterleavingSummary {
    let file = try GGUFFile(path: input)
    let inputBytes = file.mapping.bytes.count
    let writer = try InterleavedFileWriter(file)
    let total = inputBytes + writer.byteCount
    let source = try FileVerifier.hash(of: input) { progress(ImportProgress(written: Int($0), total: total)) }
    let outputBytes = try writer.write(to: output, sourceHash: source.description) {
      progress(ImportProgress(written: inputBytes + $0, total: total))
    }
    return InterleavingSummary(
      inputBytes: inputBytes, outputBytes: outputBytes, interleaved: writer.interleavedCount,
      tensors: writer.tensorCount, source: source)
  }
}
