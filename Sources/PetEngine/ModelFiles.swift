import PetInference
import PetLanguage
import PetRuntime

/// What the stores of `PetRuntime` ask of the engine about model files.
public enum ModelFiles {
  /// Looks at a GGUF file as loading would, but reads no weights: the header, every tensor's name and shape, the tokenizer.
  /// - Throws: `StorageError`, `GGUFError`, `LanguageModelError`.
  public static func inspect(_ path: String) throws -> InspectedModel {
    let file = try GGUFFile(path: path)
    let weights = try TransformerWeights(file: file, layout: .asInFile)
    let configuration = weights.configuration
    try LanguageModel.checkTokenizer(of: file, configuration)
    let usual = Configuration(.phone, share: { ProcessorShare(allowed: 2, quota: nil) })
    let memory = try MemoryEstimate(file, .init(usual))
    let parameters = file.tensors.values.reduce(0) { $0 + $1.dimensions.reduce(1, *) }
    return InspectedModel(
      kind: .language, architecture: configuration.architecture.rawValue, parameters: UInt64(parameters),
      context: configuration.contextLength, title: configuration.name, memory: UInt64(memory.total))
  }

  /// Writes a model's file in another type, for ``TierMaker``.
  /// - Parameter type: as ``QuantizationTarget/init(name:)`` has it.
  /// - Throws: `CatalogError` for a type that there is not, `QuantizationError`, `GGUFError`, `GGUFWriteError`, `StorageError`,
  ///   `CancellationError`.
  public static func quantize(
    _ input: String, _ output: String, _ type: String, _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws {
    guard let target = QuantizationTarget(name: type) else {
      throw CatalogError.invalid(field: "source.weights", value: type)
    }
    _ = try ModelQuantizer.quantize(
      input: input, output: output, types: TensorTypeRules(target), threadCount: ProcessorShare.read().threadCount
    ) { progress($0.written, $0.total) }
  }

  /// A text of this project's own, by which models are compared where nobody gives another.
  public static var measuringText: [UInt8] { PackageResources.essay_txt }
}
