// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why a forward pass failed.
public enum InferenceError: Error, Equatable, CustomStringConvertible {
  case emptyInput
  case tokenOutsideVocabulary(Int32, vocabularySize: Int)
  case contextFull(needed: Int, capacity: Int)
  case batchFull(tokens: Int, capacity: Int)
  /// A sequence is used by two segments of a step, or by two requests at once.
  case sharedSequence
  /// A sequence was continued with another adapter than it started with.
  case otherAdapter
  /// The adapter was loaded for a model of another shape.
  case adapterOfOtherModel(path: String)
  case kernelsUnavailable(String)
  case notEnoughMemory(bytes: Int)
  /// A mapped file was truncated, or could not be read, while in use.
  case fileLost(path: String)
  case cancelled

  public var description: String {
    switch self {
    case .emptyInput: "there is nothing to compute: the prompt has no token; give some text"
    case .tokenOutsideVocabulary(let token, let size):
      "token \(token) is outside the vocabulary of \(size); use the tokenizer of this model"
    case .contextFull(let needed, let capacity):
      "the text needs \(needed) tokens and the context has \(capacity); shorten it"
    case .batchFull(let tokens, let capacity):
      "a step of \(tokens) tokens is more than the \(capacity) there is room for; give some of them later"
    case .sharedSequence: "a sequence is asked for twice at once; wait until the first is done"
    case .otherAdapter: "the text was begun with another adapter, or none; begin it anew"
    case .adapterOfOtherModel(let path):
      "\(path.printable): the adapter was loaded for another model; load it with the one that uses it"
    case .kernelsUnavailable(let name): "this CPU cannot run the \(name) kernels; leave the choice to the engine"
    case .notEnoughMemory(let bytes):
      "the system refused \(bytes) bytes of memory; close other programs, or use a smaller model or context"
    case .fileLost(let path):
      "\(path.printable): parts of the file are gone that were there when it was opened; fetch it again and load it anew"
    case .cancelled: "cancelled"
    }
  }
}
