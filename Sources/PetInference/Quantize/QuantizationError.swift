// SPDX-License-Identifier: Apache-2.0
import PetFiles
import PetText

/// Why a model was not quantized. Every message names the file, the fault and the remedy.
package enum QuantizationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The output would overwrite the input or the adapter, perhaps under another name.
  case overwritesInput(path: String)
  /// The file is an adapter, or of another kind that is not a model.
  case notAModel(path: String, type: String)
  /// A rule that matches no matrix of the model.
  case unmatchedRule(path: String, pattern: String)
  /// Infinite or not a number, as read or with the adapter's delta added.
  case notFinite(path: String, tensor: String, element: Int, value: Float)
  /// A finite value, or the scale of its block, beyond the range of the type.
  case notRepresentable(path: String, tensor: String, element: Int, value: Float, type: QuantizationType)

  package var description: String {
    switch self {
    case .overwritesInput(let path):
      "\(path.printable): the output would replace what is read; give another name for the output"
    case .notAModel(let path, let type):
      "\(path.printable): key general.type is \"\(type.printable)\", and \"model\" is needed; give the model as input, "
        + "and an adapter with --adapter"
    case .unmatchedRule(let path, let pattern):
      "\(path.printable): no matrix is called \"\(pattern.printable)\"; see the names with a GGUF viewer, such as "
        + "token_embd.weight, blk.0.attn_q.weight"
    case .notFinite(let path, let tensor, let element, let value):
      "\(path.printable): tensor \(tensor.printable) has \(value) at element \(element); convert or train the model again"
    case .notRepresentable(let path, let tensor, let element, let value, let type):
      "\(path.printable): tensor \(tensor.printable) has \(value) at element \(element), beyond the range of "
        + "\(type.name); choose F32 for that tensor"
    }
  }
}
