// SPDX-License-Identifier: Apache-2.0
/// The types that weights can be written in; more can be read.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum QuantizationType: String, Sendable, CaseIterable {
  case f32 = "F32", f16 = "F16", bf16 = "BF16"
  case q4_0 = "Q4_0", q4_1 = "Q4_1", q5_0 = "Q5_0", q5_1 = "Q5_1", q8_0 = "Q8_0"
  case q2_K = "Q2_K", q3_K = "Q3_K", q4_K = "Q4_K", q5_K = "Q5_K", q6_K = "Q6_K"

  /// The type of that name, in capitals or not.
  package init?(name: String) {
    self.init(rawValue: name.uppercased())
  }

  package var name: String { rawValue }

  package var tensorType: TensorType {
    switch self {
    case .f32: .f32
    case .f16: .f16
    case .bf16: .bf16
    case .q4_0: .q4_0
    case .q4_1: .q4_1
    case .q5_0: .q5_0
    case .q5_1: .q5_1
    case .q8_0: .q8_0
    case .q2_K: .q2_K
    case .q3_K: .q3_K
    case .q4_K: .q4_K
    case .q5_K: .q5_K
    case .q6_K: .q6_K
    }
  }

  /// What rows get that are no whole number of this type's blocks, as llama.cpp has it for Q4_K to Q6_K: the type of
  /// blocks of 32 that is as good; nil where there is none.
  package var fallback: QuantizationType? {
    switch self {
    case .q2_K, .q3_K: .q4_0
    case .q4_K: .q5_0
    case .q5_K: .q5_1
    case .q6_K: .q8_0
    default: nil
    }
  }

  /// The number of `general.file_type` for a model that is mostly of this type, as llama.cpp counts. For the types of
  /// blocks of 256 those of its small mixes, which are nearest to a model of that type alone.
  package var fileType: UInt32 {
    switch self {
    case .f32: 0
    case .f16: 1
    case .q4_0: 2
    case .q4_1: 3
    case .q8_0: 7
    case .q5_0: 8
    case .q5_1: 9
    case .q3_K: 11
    case .q4_K: 14
    case .q5_K: 16
    case .q6_K: 18
    case .q2_K: 21
    case .bf16: 32
    }
  }
}
