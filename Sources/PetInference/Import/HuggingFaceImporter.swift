// SPDX-License-Identifier: Apache-2.0
import CPetKernels
import PetFiles

/// The progress of a conversion.
package struct ImportProgress: Sendable, Equatable {
  /// Bytes of tensor data written, and of all tensors.
  package let written: Int
  package let total: Int

  package init(written: Int, total: Int) {
    self.written = written
    self.total = total
  }
}

/// The result of a conversion.
package struct ImportSummary: Sendable, Equatable {
  package let architecture: String
  package let tensorCount: Int
  package let parameterCount: Int
  package let tensorBytes: Int
}

/// Converts a folder of a Llama or Phi-3 model, as published on Hugging Face, to one GGUF file.
///
/// Memory: the vocabulary and a few megabytes, whatever the size of the model. The same folder gives the same bytes.
package struct HuggingFaceImporter {
  private let configuration: HuggingFaceConfiguration
  private let vocabulary: VocabularyAssembly
  private let vocabularyPath: String
  private let plan: TensorPlan
  private let name: String
  private let precision: WeightPrecision
  private let ownNumbers: [(key: String, value: UInt32)]

  /// Reads and checks everything but the weights themselves.
  ///
  /// - Parameters:
  ///   - folder: holds `config.json` and safetensors files, optionally the tokenizer's JSON files.
  ///   - vocabulary: returns the pieces of the folder's `tokenizer.model`; called after `config.json` was validated.
  ///   - name: `general.name` of the output.
  /// - Throws: `ImportError`, `FileError`
  package init(
    folder: String, vocabulary: @autoclosure () throws -> ImportedVocabulary, name: String,
    precision: WeightPrecision = .keep
  ) throws {
    let path = folder + "/config.json"
    guard FilePath.exists(path) else {
      throw ImportError.missingFile(path: path, advice: "the folder must be a model in Hugging Face's layout")
    }
    let file = try ConfigurationFile(path: path)
    configuration = try HuggingFaceConfiguration(file)
    let tokenizer = try TokenizerFolder(
      folder: folder, configuration: file, vocabularySize: configuration.vocabularySize)
    let pieces = try vocabulary()
    vocabularyPath = pieces.path
    self.vocabulary = try VocabularyAssembly(pieces, tokenizer, size: configuration.vocabularySize)
    plan = try TensorPlan(configuration, WeightFolder(folder: folder), precision: precision)
    self.name = name
    self.precision = precision
    ownNumbers = file.ownNumbers(architecture: configuration.architecture.rawValue)
  }

  /// Writes the file. The write is atomic: after an error `path` is unchanged.
  ///
  /// - Parameter progress: called about once per megabyte, on this thread.
  /// - Throws: `QuantizationError.overwritesInput`, `ImportError`, `FileError`, `GGUFWriteError`;
  ///   `CancellationError` when the task is cancelled.
  package func write(to path: String, progress: (ImportProgress) -> Void = { _ in }) throws -> ImportSummary {
    if let source = FileDraft.replaced(by: path, of: plan.paths + [vocabularyPath]) {
      throw QuantizationError.overwritesInput(path: source)
    }
    let declarations = plan.tensors.map(\.declaration)
    let writer = try GGUFWriter(path: path, metadata: metadata, tensors: declarations)
    let total = declarations.reduce(0) { $0 + $1.byteCount }
    var written = 0
    var converter = TensorConverter()
    for (index, tensor) in plan.tensors.enumerated() {
      try Task.checkCancellation()
      try converter.write(tensor, index: index, to: writer) {
        written += $0
        progress(ImportProgress(written: written, total: total))
      }
    }
    try writer.finish()
    return ImportSummary(
      architecture: configuration.architecture.rawValue, tensorCount: declarations.count,
      parameterCount: declarations.reduce(0) { $0 + $1.dimensions.reduce(1, *) }, tensorBytes: total)
  }
}

extension HuggingFaceImporter {
  private var metadata: [(key: String, value: GGUFValue)] {
    let shape = configuration
    let prefix = shape.architecture.rawValue + "."
    var pairs: [(key: String, value: GGUFValue)] = [
      ("general.architecture", .text(shape.architecture.rawValue)),
      ("general.type", .text("model")),
      ("general.name", .text(name)),
      ("general.file_type", .uint32(fileType)),
      ("general.quantization_version", .uint32(2)),
    ]
    func add(_ key: String, _ value: Int) { pairs.append((prefix + key, .uint32(UInt32(value)))) }
    func add(_ key: String, _ value: Float) { pairs.append((prefix + key, .float32(value))) }
    add("vocab_size", shape.vocabularySize)
    add("context_length", shape.contextLength)
    add("embedding_length", shape.width)
    add("block_count", shape.layerCount)
    add("feed_forward_length", shape.feedForwardWidth)
    add("attention.head_count", shape.headCount)
    add("attention.head_count_kv", shape.keyValueHeadCount)
    if shape.declaresHeadSize {
      add("attention.key_length", shape.headSize)
      add("attention.value_length", shape.headSize)
    }
    add("attention.layer_norm_rms_epsilon", shape.normEpsilon)
    if shape.architecture == .phi3 { add("attention.sliding_window", shape.slidingWindow ?? 0) }
    add("rope.dimension_count", shape.rotaryDimensions)
    add("rope.freq_base", shape.ropeBase)
    switch shape.ropeScaling {
    case .none:
      if shape.architecture == .phi3 { add("rope.scaling.original_context_length", shape.contextLength) }
    case .factors: break
    case .linear(let factor):
      pairs.append((prefix + "rope.scaling.type", .text("linear")))
      add("rope.scaling.factor", factor)
    case .long(_, _, let originalContext, let attentionFactor):
      add("rope.scaling.original_context_length", originalContext)
      add("rope.scaling.attn_factor", attentionFactor)
    }
    return pairs + ownNumbers.map { ($0.key, .uint32($0.value)) } + vocabulary.metadata
  }

  /// `general.file_type`: the type that most weights have.
  private var fileType: UInt32 {
    var counts: [Int32: Int] = [:]
    for tensor in plan.tensors where tensor.declaration.dimensions.count > 1 {
      counts[tensor.declaration.type.rawValue, default: 0] += tensor.declaration.byteCount
    }
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    return most == PK_F16.rawValue ? 1 : most == PK_BF16.rawValue ? 32 : 0
  }
}
