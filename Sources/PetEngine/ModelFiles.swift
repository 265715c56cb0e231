// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetInference
import PetLanguage
import PetRuntime

/// What the stores of `PetRuntime` ask of the engine about model files.
package enum ModelFiles {
  /// Looks at a GGUF file as loading would, but reads no weights: the header, every tensor's name and shape, the tokenizer.
  /// - Throws: `FileError`, `GGUFError`, `LanguageModelError`.
  package static func inspect(_ path: String) throws -> InspectedModel {
    let file = try GGUFFile(path: path)
    let configuration = try check(file)
    let usual = Configuration(.phone, share: { ProcessorShare(allowed: 2, quota: nil) })
    let memory = try MemoryEstimate(file, .init(usual))
    let parameters = file.tensors.values.reduce(0) { $0 + $1.dimensions.reduce(1, *) }
    return InspectedModel(
      kind: .language, architecture: configuration.architecture.rawValue, parameters: UInt64(parameters),
      context: configuration.contextLength, title: configuration.name, memory: UInt64(memory.total))
  }

  /// As ``inspect(_:)``, by a process for each file, which is sealed and reads what is in `folder` alone. To be made before the first thread.
  package static func sealedInspection(in folder: String) -> ModelInspection {
    let files = FileAccess.system + [FileAccess(folder, .read)]
    let helper = SealedHelper(mostAsked: 1 << 12, mostAnswered: 1 << 16, files: files) { request in
      let path = String(decoding: request, as: UTF8.self)
      return try? [UInt8](JSONEncoder().encode(InspectionAnswer { try inspect(path) }))
    }
    return { path in
      let answer = try helper.answer(Array(path.utf8))
      return try JSONDecoder().decode(InspectionAnswer.self, from: Data(answer)).model
    }
  }

  /// Refuses what loading would refuse, from the header and the tokenizer alone.
  /// - Throws: `GGUFError`, `LanguageModelError`.
  @discardableResult
  package static func check(_ file: GGUFFile) throws -> ModelConfiguration {
    let configuration = try TransformerWeights(file: file, layout: .rowMajor).configuration
    try LanguageModel.checkTokenizer(of: file, configuration)
    return configuration
  }

  /// Writes a model's file in another type, as ``TierMaker`` asks for it.
  /// - Parameter type: as ``QuantizationTarget/init(name:)`` has it.
  /// - Throws: `CatalogError` for a type that there is not, `QuantizationError`, `GGUFError`, `GGUFWriteError`, `FileError`,
  ///   `CancellationError`.
  package static func quantize(
    _ input: String, _ output: String, _ type: String, _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws {
    try quantize(input, output, type, keep: [], adapter: nil, progress)
  }

  /// The same with other types for some matrices, and an adapter made part of the weights.
  /// - Throws: as the other, and `AdapterError`.
  static func quantize(
    _ input: String, _ output: String, _ type: String, keep: [String], adapter: String?,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws {
    guard let target = QuantizationTarget(name: type) else {
      throw CatalogError.invalid(field: "source.weights", value: type)
    }
    let overrides = try keep.map { text in
      guard let rule = TensorTypeRule(text: text) else { throw CatalogError.invalid(field: "source.keep", value: text) }
      return rule
    }
    _ = try ModelQuantizer.quantize(
      input: input, output: output, types: TensorTypeRules(target, overrides: overrides), adapter: adapter,
      threadCount: ProcessorShare.read().threadCount
    ) { progress($0.written, $0.total) }
  }

  /// A text of this project's own, by which models are compared where nobody gives another.
  package static var measuringText: [UInt8] { PackageResources.essay_txt }
}

/// What was found in a file, or what is wrong with it, on the way from one process to another.
private enum InspectionAnswer: Codable {
  case found(InspectedModel)
  case refused(String)

  /// Why the file is not taken.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  init(_ inspect: () throws -> InspectedModel) {
    do { self = .found(try inspect()) } catch { self = .refused("\(error)") }
  }

  var model: InspectedModel {
    get throws {
      switch self {
      case .found(let model): return model
      case .refused(let reason): throw Refusal(description: reason)
      }
    }
  }
}
