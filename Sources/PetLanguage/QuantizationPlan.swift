// SPDX-License-Identifier: Apache-2.0
import PetInference

/// What becomes of each tensor and key of a model.
struct QuantizationPlan {
  struct Tensor {
    let source: GGUFTensor
    /// Of the source, in order: all of it, or the rows that stay.
    let pieces: [GGUFTensor]
    let type: QuantizationType
    /// The type that was asked for, where the rows do not allow it.
    let refused: QuantizationType?
    let isAdapted: Bool
    let declaration: GGUFTensorDeclaration

    var isCopied: Bool { !isAdapted && source.type == type.tensorType }
  }

  /// In the order of the file.
  let tensors: [Tensor]
  let metadata: [(key: String, value: GGUFValue)]

  /// The version of the block formats, which has been 2 since 2023.
  private static let quantizationVersion = GGUFValue.uint32(2)

  /// - Throws: `QuantizationError.unmatchedRule`, `GGUFWriteError`, `AdapterError`, `GGUFError`
  init(_ file: GGUFFile, _ rules: TensorTypeRules, _ adapter: LowRankAdapter?) throws {
    let adapted = Set(adapter?.targets ?? [])
    let cut = try adapter?.vocabularyCut(of: file)
    let outline = ModelOutline(tensorNames: file.tensorNames)
    var tensors: [Tensor] = []
    for name in file.tensorNames {
      guard let source = file.tensors[name] else { continue }
      let decision = rules.decide(name, dimensions: source.dimensions, in: outline)
      let (dimensions, pieces) = cut?.apply(to: source) ?? (source.dimensions, [source])
      let declaration = try GGUFTensorDeclaration(
        name: name, dimensions: dimensions, type: decision.type.tensorType.kernelType)
      tensors.append(
        Tensor(
          source: source, pieces: pieces, type: decision.type, refused: decision.refused,
          isAdapted: adapted.contains(name),
          declaration: declaration))
    }
    let matrices = tensors.filter { TensorTypeRules.isMatrix($0.source.dimensions) }
    for rule in rules.overrides where !matrices.contains(where: { rule.matches($0.source.name) }) {
      throw QuantizationError.unmatchedRule(path: file.path, pattern: rule.pattern)
    }
    self.tensors = tensors
    metadata = Self.metadata(
      of: file, fileType: Self.fileType(rules, matrices), (adapter?.ownMetadata ?? []) + (cut?.metadata ?? []))
  }

  /// The keys of the input in its order, with the two that speak of types brought up to date, and what the adapter says of
  /// the model that it makes, or leaves of its vocabulary.
  private static func metadata(
    of file: GGUFFile, fileType: UInt32, _ own: [(key: String, value: GGUFValue)]
  ) -> [(key: String, value: GGUFValue)] {
    let updates: [(key: String, value: GGUFValue)] =
      [("general.file_type", .uint32(fileType)), ("general.quantization_version", quantizationVersion)] + own
    var pairs: [(key: String, value: GGUFValue)] = []
    for key in file.metadataKeys {
      guard let value = updates.first(where: { $0.key == key })?.value ?? file.metadata[key] else { continue }
      pairs.append((key, value))
    }
    return pairs + updates.filter { file.metadata[$0.key] == nil }
  }

  /// The number of the mix, or of the type of most elements.
  private static func fileType(_ rules: TensorTypeRules, _ matrices: [Tensor]) -> UInt32 {
    let standard: QuantizationType
    switch rules.standard {
    case .mix(let mix): return mix.fileType
    case .type(let type): standard = type
    }
    var counts: [QuantizationType: Int] = [:]
    for matrix in matrices { counts[matrix.type, default: 0] += matrix.source.dimensions.reduce(1, *) }
    let types = QuantizationType.allCases.filter { counts[$0] != nil }
    return (types.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? standard).fileType
  }

  func summary(inputBytes: Int, outputBytes: Int) -> QuantizationSummary {
    let types = QuantizationType.allCases.compactMap { type in
      let count = tensors.count { $0.type == type }
      return count > 0 ? QuantizationSummary.TypeCount(type: type, count: count) : nil
    }
    return QuantizationSummary(
      inputBytes: inputBytes, outputBytes: outputBytes, types: types.sorted { $0.count > $1.count },
      fallbacks: tensors.compactMap { tensor in
        tensor.refused.map { .init(tensor: tensor.source.name, refused: $0, type: tensor.type) }
      },
      adapted: tensors.count(where: \.isAdapted), copied: tensors.count(where: \.isCopied))
  }
}
