// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// A low-rank adapter (LoRA, Hu et al. 2021) in the GGUF form of llama.cpp:
///
///     general.type = "adapter", adapter.type = "lora", adapter.lora.alpha, general.architecture as in the base
///     NAME.lora_a [inputs, rank], NAME.lora_b [rank, outputs], for a base tensor NAME [inputs, outputs]
///
/// W becomes W + alpha / rank * B A. Rows of `token_embd.weight` are looked up rather than multiplied with, and there
/// llama.cpp has the factors the other way round: lora_a [rank, vocabulary], lora_b [rank, width]; W + alpha / rank * A B^T.
/// Dimensions are in the order of GGUF, the contiguous one first.
package final class LowRankAdapter: Sendable {
  package let alpha: Float
  /// Names of the base's tensors that change, in the order in which the adapter first names them.
  package let targets: [String]
  private let file: GGUFFile
  private let factors: [String: Factors]

  /// Largest rank accepted; published adapters have 4 to 256.
  package static let maximumRank = 1024

  struct Factors: Sendable {
    let rank: Int
    /// [rank, rows]: one row per row of the target.
    let rows: GGUFTensor
    let columns: GGUFTensor
    /// Whether `columns` is [rank, columns] rather than [columns, rank].
    let isTransposed: Bool
  }

  package var path: String { file.path }

  /// Metadata for the adapted model: name, description and vendor keys.
  package var ownMetadata: [(key: String, value: GGUFValue)] {
    (["general.name", "general.description"] + file.ownKeys).compactMap { key in
      file.metadata[key].map { (key, $0) }
    }
  }

  /// What it leaves of its base's vocabulary when it is made part of the weights; nil: all.
  /// - Throws: as ``VocabularyCut/init(_:base:)``.
  package func vocabularyCut(of base: GGUFFile) throws -> VocabularyCut? { try VocabularyCut(file, base: base) }

  /// `general.name`.
  var name: String? { try? file.string("general.name") }

  /// Vendor metadata: integers under keys outside the GGUF standard.
  var ownNumbers: [String: Int] { file.ownKeys.reduce(into: [:]) { $0[$1] = try? file.integer($1) } }

  /// Opens the adapter and checks names and shapes against the model; values are not read. O(size of the headers).
  ///
  /// - Throws: `AdapterError`; `GGUFError` and `FileError` for the file itself.
  package convenience init(path: String, base: GGUFFile) throws {
    try self.init(file: GGUFFile(path: path), base: base)
  }

  package init(file: GGUFFile, base: GGUFFile) throws(AdapterError) {
    alpha = try Self.alpha(of: file, base: base)
    self.file = file
    var targets: [String] = []
    var factors: [String: Factors] = [:]
    for name in file.tensorNames {
      guard let target = Self.target(of: name) else { throw file.refused(.unexpectedTensor(name)) }
      guard factors[target] == nil else { continue }
      factors[target] = try Self.factors(of: target, named: name, file, base)
      targets.append(target)
    }
    guard !targets.isEmpty else { throw file.refused(.noTensors) }
    self.targets = targets
    self.factors = factors
  }

  /// The delta of the base's tensor `name`; nil where the adapter does not change it. Copies one of the factors as floats.
  ///
  /// - Throws: `AdapterError` where that factor has a value that is not finite.
  package func delta(of name: String) throws(AdapterError) -> LowRankDelta? {
    guard let factors = factors[name] else { return nil }
    return try LowRankDelta(factors, scale: scale(rank: factors.rank), file: file)
  }

  func factors(of name: String) -> Factors? { factors[name] }

  /// The scale of the product of factors of this rank: alpha / rank.
  func scale(rank: Int) -> Float { alpha / Float(rank) }

  /// A factor as floats.
  /// - Throws: `AdapterError` where one is not finite.
  func values(of tensor: GGUFTensor) throws(AdapterError) -> [Float] { try file.finiteValues(of: tensor) }
}

extension LowRankAdapter {
  /// Checks the keys.
  private static func alpha(of file: GGUFFile, base: GGUFFile) throws(AdapterError) -> Float {
    func text(_ key: String) -> String? {
      guard case .string(let bytes)? = file.metadata[key] else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    guard text("general.type") == "adapter" else { throw file.refused(.notAnAdapter(type: text("general.type"))) }
    guard text("adapter.type") == "lora" else { throw file.refused(.unsupportedKind(text("adapter.type"))) }
    // An adapter that is activated by certain tokens cannot be merged into the weights.
    guard file.metadata["adapter.alora.invocation_tokens"] == nil else { throw file.refused(.unsupportedKind("alora")) }
    let architecture = (try? base.architecture()) ?? ""
    guard text("general.architecture") == architecture else {
      throw file.refused(.wrongArchitecture(text("general.architecture"), expected: architecture))
    }
    let alpha: Float?
    switch file.metadata["adapter.lora.alpha"] {
    case .float32(let value): alpha = value
    case .float64(let value): alpha = Float(value)
    case .some: throw file.refused(.invalidAlpha("not a floating-point number"))
    case nil: alpha = nil
    }
    // 0 is ambiguous: llama.cpp reads it as "no scaling", others as "no effect".
    guard let alpha, alpha.isFinite, alpha != 0 else { throw file.refused(.invalidAlpha(alpha.map { "\($0)" })) }
    return alpha
  }

  private static func target(of name: String) -> String? {
    for suffix in [".lora_a", ".lora_b"] where name.hasSuffix(suffix) && name.count > suffix.count {
      return String(name.dropLast(suffix.count))
    }
    return nil
  }

  /// Finds both factors of a target and checks their shapes.
  private static func factors(
    of target: String, named name: String, _ file: GGUFFile, _ base: GGUFFile
  ) throws(AdapterError) -> Factors {
    guard let matrix = base.tensors[target] else { throw file.refused(.unknownTarget(tensor: name, target: target)) }
    guard matrix.dimensions.count == 2 else {
      throw file.refused(.targetNotMatrix(target: target, dimensions: matrix.dimensions))
    }
    let (columns, rows) = (matrix.dimensions[0], matrix.dimensions[1])
    let (a, b) = (try find(target + ".lora_a", file), try find(target + ".lora_b", file))
    let isEmbedding = target == "token_embd.weight"
    // 0 matches any size: the rank.
    let shapes = isEmbedding ? (a: [0, rows], b: [0, columns]) : (a: [columns, 0], b: [0, rows])
    let ranks = (try rank(a, as: shapes.a, file), try rank(b, as: shapes.b, file))
    guard ranks.0 == ranks.1 else { throw file.refused(.rankMismatch(target: target, a: ranks.0, b: ranks.1)) }
    return Factors(
      rank: ranks.0, rows: isEmbedding ? a : b, columns: isEmbedding ? b : a, isTransposed: isEmbedding)
  }

  private static func find(_ name: String, _ file: GGUFFile) throws(AdapterError) -> GGUFTensor {
    guard let tensor = file.tensors[name] else { throw file.refused(.missingFactor(tensor: name)) }
    return tensor
  }

  /// The dimension of `tensor` where `shape` has 0; all others must be equal.
  private static func rank(_ tensor: GGUFTensor, as shape: [Int], _ file: GGUFFile) throws(AdapterError) -> Int {
    // Writers that drop trailing dimensions of 1 make a vector of a factor of rank 1.
    var dimensions = tensor.dimensions
    while dimensions.count < 2 { dimensions.append(1) }
    guard dimensions.count == 2, zip(dimensions, shape).allSatisfy({ $0 == $1 || $1 == 0 }) else {
      throw file.refused(.wrongShape(tensor: tensor.name, dimensions: tensor.dimensions, expected: shape))
    }
    let rank = dimensions[shape[0] == 0 ? 0 : 1]
    guard (1...maximumRank).contains(rank) else {
      throw file.refused(.rank(tensor: tensor.name, rank: rank, limit: maximumRank))
    }
    return rank
  }
}

extension GGUFFile {
  func refused(_ reason: AdapterError.Reason) -> AdapterError { AdapterError(path: path, reason: reason) }

  /// All of a tensor as floats.
  /// - Throws: `AdapterError` where one is not finite.
  func finiteValues(of tensor: GGUFTensor) throws(AdapterError) -> [Float] {
    let count = tensor.dimensions.reduce(1, *)
    let values = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      pk_kernels_best().pointee.dequantize(
        tensor.type.kernelType, data(of: tensor).baseAddress, buffer.baseAddress, count)
      initialized = count
    }
    if let element = values.firstIndex(where: { !$0.isFinite }) {
      throw refused(.notFinite(tensor: tensor.name, element: element))
    }
    return values
  }
}
