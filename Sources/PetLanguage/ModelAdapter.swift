// SPDX-License-Identifier: Apache-2.0
import PetInference

/// A low-rank adapter (LoRA) that is ready to use with a loaded model: another voice from the same weights, at the cost of the
/// adapter's size. Immutable; any number of conversations share one, and conversations with different adapters, or none, are
/// written in the same steps.
public struct ModelAdapter: Sendable {
  public var path: String { weights.path }
  /// What the adapter calls itself.
  public var name: String? { weights.name }
  /// Bytes that it takes in memory.
  public var byteCount: Int { weights.byteCount }
  /// Numbers under keys of nobody's standard: what the makers of the adapter tell their own programs.
  package var ownNumbers: [String: Int] { weights.ownNumbers }

  package let weights: AdapterWeights
  /// Tells adapters apart across processes.
  let fingerprint: [UInt8]
}

extension LanguageModel {
  /// Reads an adapter in llama.cpp's GGUF form, for this model or others of its shape. O(size of the file).
  ///
  /// The model's own replies stay as they are, bit for bit. With the adapter they are those of the model that
  /// `pet models quantize --adapter` makes, but for rounding.
  /// - Throws: `AdapterError` where it is none for this model; `GGUFError` and `FileError` for the file itself;
  ///   `InferenceError.notEnoughMemory`.
  public func loadAdapter(path: String) throws -> ModelAdapter {
    try ModelAdapter(
      weights: AdapterWeights(path: path, for: weights), fingerprint: GGUFFile(path: path).fingerprint())
  }
}
