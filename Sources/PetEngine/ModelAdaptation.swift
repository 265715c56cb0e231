import PetInference
import PetLanguage
import PetRuntime

/// Makes the files of models that are adapted from others: what `ModelFetcher` asks for.
public enum ModelAdaptation {
  /// - Throws: `CatalogError` for a type that there is not, `QuantizationError`, `AdapterError`, `GGUFError`, `GGUFWriteError`, `StorageError`, `CancellationError`.
  public static func perform(_ request: AdaptationRequest, progress: (_ done: Int, _ total: Int) -> Void) throws {
    guard let target = QuantizationTarget(name: request.source.type) else {
      throw CatalogError.invalid(field: "source.weights", value: request.source.type)
    }
    let keep = try request.source.keep.map { text in
      guard let rule = TensorTypeRule(text: text) else { throw CatalogError.invalid(field: "source.keep", value: text) }
      return rule
    }
    let types = TensorTypeRules(target, overrides: keep)
    _ = try ModelQuantizer.quantize(
      input: request.base, output: request.output, types: types, adapter: request.adapter,
      threadCount: ProcessorShare.read().threadCount
    ) { progress($0.written, $0.total) }
  }
}
