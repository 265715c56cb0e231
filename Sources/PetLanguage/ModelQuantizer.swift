// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetInference

/// What a quantization made.
package struct QuantizationSummary: Sendable, Equatable {
  /// Sizes of the two files.
  package let inputBytes: Int
  package let outputBytes: Int
  /// How many tensors have each type, the most frequent first.
  package let types: [TypeCount]
  /// Tensors whose rows are no whole number of blocks of the type that was asked for.
  package let fallbacks: [Fallback]
  /// Tensors that the adapter changed.
  package let adapted: Int
  /// Tensors that are in the output byte for byte.
  package let copied: Int

  package struct TypeCount: Sendable, Equatable {
    package let type: QuantizationType
    package let count: Int
  }

  package struct Fallback: Sendable, Equatable {
    package let tensor: String
    package let refused: QuantizationType
    package let type: QuantizationType
  }
}

/// Turns a GGUF model into one with other tensor types, with a low-rank adapter made part of the weights if there is one, and its
/// vocabulary cut where the adapter was trained on a part of it.
package enum ModelQuantizer {
  /// Writes the file; it appears under `output` when it is complete, and not at all after an error. The same input
  /// gives the same bytes, on every machine and with any number of threads. Memory: the metadata, the largest factor of
  /// the adapter, and a few megabytes, whatever the size of the model.
  ///
  /// - Parameters:
  ///   - input: a GGUF file of any architecture.
  ///   - output: the file to make; another one that is there is replaced.
  ///   - adapter: a GGUF file that `LowRankAdapter` reads.
  ///   - threadCount: threads that quantize, this one included.
  ///   - progress: called about once per million elements, on this thread.
  /// - Throws: `QuantizationError`, `AdapterError`, `GGUFError`, `GGUFWriteError`, `FileError`; `CancellationError`
  ///   when the task is cancelled.
  package static func quantize(
    input: String, output: String, types: TensorTypeRules, adapter adapterPath: String? = nil,
    threadCount: Int = 1, progress: (ImportProgress) -> Void = { _ in }
  ) throws -> QuantizationSummary {
    let file = try GGUFFile(path: input)
    let type = try file.string("general.type") ?? "model"
    guard type == "model" else { throw QuantizationError.notAModel(path: input, type: type) }
    try file.refuseInterleaved()
    if let path = FileDraft.replaced(by: output, of: [input, adapterPath].compactMap { $0 }) {
      throw QuantizationError.overwritesInput(path: path)
    }
    let adapter = try adapterPath.map { try LowRankAdapter(path: $0, base: file) }
    let plan = try QuantizationPlan(file, types, adapter)

    let writer = try GGUFWriter(path: output, metadata: plan.metadata, tensors: plan.tensors.map(\.declaration))
    let total = plan.tensors.reduce(0) { $0 + $1.declaration.byteCount }
    var written = 0
    let advance: (Int) -> Void = {
      written += $0
      progress(ImportProgress(written: written, total: total))
    }
    let quantizer = try TensorQuantizer(path: input, threadCount: threadCount)
    for (index, tensor) in plan.tensors.enumerated() {
      try Task.checkCancellation()
      let delta = tensor.isCopied ? nil : try adapter?.delta(of: tensor.source.name)
      for piece in tensor.pieces {
        if tensor.isCopied {
          try quantizer.copy(piece, index: index, to: writer, advance: advance)
        } else {
          try quantizer.write(piece, as: tensor.type, plus: delta, index: index, to: writer, advance: advance)
        }
      }
    }
    try writer.finish()
    return plan.summary(inputBytes: file.mapping.bytes.count, outputBytes: writer.byteCount)
  }
}
