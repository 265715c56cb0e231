// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why a file cannot be used as a low-rank adapter for a model. Every message names the file, the fault and the remedy.
public struct AdapterError: Error, Equatable, Sendable, CustomStringConvertible {
  public let path: String
  package let reason: Reason

  package enum Reason: Equatable, Sendable {
    /// `general.type` is not "adapter".
    case notAnAdapter(type: String?)
    /// An adapter of another kind than a plain low-rank one.
    case unsupportedKind(String?)
    case wrongArchitecture(String?, expected: String)
    /// Missing, zero, or not finite.
    case invalidAlpha(String?)
    case noTensors
    /// The name ends neither in `.lora_a` nor in `.lora_b`.
    case unexpectedTensor(String)
    case missingFactor(tensor: String)
    case unknownTarget(tensor: String, target: String)
    /// The target is not a matrix.
    case targetNotMatrix(target: String, dimensions: [Int])
    case wrongShape(tensor: String, dimensions: [Int], expected: [Int])
    case rank(tensor: String, rank: Int, limit: Int)
    case rankMismatch(target: String, a: Int, b: Int)
    case notFinite(tensor: String, element: Int)
    /// Its rows of the vocabulary are none of the model's.
    case vocabulary(String)
  }

  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  public var description: String { "\(path.printable): \(reason.message)" }
}

extension AdapterError.Reason {
  fileprivate var message: String {
    let otherBase = "give the model that it was trained on"
    let again = "export the adapter again"
    switch self {
    case .notAnAdapter(let type):
      return "not an adapter: key general.type is \(quoted(type)), and \"adapter\" is needed; give a LoRA adapter in "
        + "GGUF form"
    case .unsupportedKind(let kind):
      return "adapter of kind \(quoted(kind)), and only plain \"lora\" is merged; choose another adapter"
    case .wrongArchitecture(let name, let expected):
      return "an adapter for architecture \(quoted(name)), and the model is \"\(expected.printable)\"; \(otherBase)"
    case .invalidAlpha(let value):
      return "key adapter.lora.alpha is \(value ?? "missing"), and a finite number other than 0 is needed; \(again)"
    case .noTensors: return "the adapter has no tensors; \(again)"
    case .unexpectedTensor(let tensor):
      return "tensor \(tensor.printable) ends neither in .lora_a nor in .lora_b; \(again)"
    case .missingFactor(let tensor): return "tensor \(tensor.printable) is missing; \(again)"
    case .unknownTarget(let tensor, let target):
      return "tensor \(tensor.printable) is for \(target.printable), which the model does not have; \(otherBase)"
    case .targetNotMatrix(let target, let dimensions):
      return "\(target.printable) has dimensions \(dimensions), and only matrices can be adapted; \(again)"
    case .wrongShape(let tensor, let dimensions, let expected):
      return "tensor \(tensor.printable) has dimensions \(dimensions), and the model asks for \(shape(expected)); "
        + otherBase
    case .rank(let tensor, let rank, let limit):
      return "tensor \(tensor.printable) has rank \(rank), and 1 to \(limit) are read; \(again)"
    case .rankMismatch(let target, let a, let b):
      return "the factors of \(target.printable) have ranks \(a) and \(b); \(again)"
    case .notFinite(let tensor, let element):
      return "tensor \(tensor.printable) has a value at \(element) that is infinite or not a number; \(again)"
    case .vocabulary(let fault): return "key \(VocabularyCut.key) does not fit: \(fault.printable); \(otherBase)"
    }
  }

  /// Dimensions as text; 0, which matches any size, as a word.
  private func shape(_ dimensions: [Int]) -> String {
    "[\(dimensions.map { $0 == 0 ? "rank" : "\($0)" }.joined(separator: ", "))]"
  }

  private func quoted(_ text: String?) -> String { text.map { "\"\($0.printable)\"" } ?? "missing" }
}
