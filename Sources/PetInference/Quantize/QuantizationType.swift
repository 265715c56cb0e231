/// The types that weights can be written in; more can be read.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum QuantizationType: String, Sendable, CaseIterable {
  case f32 = "F32", f16 = "F16", bf16 = "BF16"
  case q4_0 = "Q4_0", q4_1 = "Q4_1", q5_0 = "Q5_0", q5_1 = "Q5_1", q8_0 = "Q8_0"

  /// The type of that name, in capitals or not.
  public init?(name: String) {
    self.init(rawValue: name.uppercased())
  }

  public var name: String { rawValue }

  public var tensorType: TensorType {
    switch self {
    case .f32: .f32
    case .f16: .f16
    case .bf16: .bf16
    case .q4_0: .q4_0
    case .q4_1: .q4_1
    case .q5_0: .q5_0
    case .q5_1: .q5_1
    case .q8_0: .q8_0
    }
  }

  /// The number of `general.file_type` for a model that is mostly of this type, as llama.cpp counts.
  public var fileType: UInt32 {
    switch self {
    case .f32: 0
    case .f16: 1
    case .q4_0: 2
    case .q4_1: 3
    case .q8_0: 7
    case .q5_0: 8
    case .q5_1: 9
    case .bf16: 32
    }
  }
}
