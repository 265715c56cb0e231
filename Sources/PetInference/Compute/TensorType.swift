// SPDX-License-Identifier: Apache-2.0
import CPetKernels

/// Element types of tensors, numbered as in GGUF. Quantized types store blocks of 32 or 256 elements with shared scales.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum TensorType: UInt32, Sendable, CaseIterable {
  case f32 = 0, f16 = 1, q4_0 = 2, q4_1 = 3, q5_0 = 6, q5_1 = 7, q8_0 = 8
  case q2_K = 10, q3_K = 11, q4_K = 12, q5_K = 13, q6_K = 14, bf16 = 30

  /// The same type in the kernels' table.
  public var kernelType: pk_type { pk_type(rawValue: Int32(rawValue)) }

  /// Elements that one block holds.
  public var blockElements: Int { pk_block_elements(kernelType) }

  /// Bytes that one block takes.
  public var blockBytes: Int { pk_block_bytes(kernelType) }

  /// Bytes of a row of `columns` elements, a whole number of blocks.
  func bytes(ofRow columns: Int) -> Int { columns / blockElements * blockBytes }

  public var isQuantized: Bool {
    switch self {
    case .f32, .f16, .bf16: false
    default: true
    }
  }

  /// The field's name for the type, as in `Q4_K`.
  public var name: String { "\(self)".uppercased() }

  static var supportedNames: String { allCases.map(\.name).joined(separator: " ") }

  /// The name of any GGUF type id, supported or not, for error messages.
  static func name(ofID id: UInt32) -> String {
    if let type = TensorType(rawValue: id) { return type.name }
    let others: [UInt32: String] = [
      9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S",
      22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0",
      35: "TQ2_0", 39: "MXFP4",
    ]
    return others[id] ?? "number \(id)"
  }
}
