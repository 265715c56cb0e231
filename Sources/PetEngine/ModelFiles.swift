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
}
