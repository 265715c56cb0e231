// SPDX-License-Identifier: Apache-2.0
/// Mixed quantization: one type for most matrices, and better ones where errors cost a model most. Names and rules are
/// llama.cpp's, for models without experts.
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum QuantizationMix: String, Sendable, CaseIterable {
  case q4_K_S = "Q4_K_S", q4_K_M = "Q4_K_M", q5_K_M = "Q5_K_M"

  package var name: String { rawValue }

  /// What most matrices get.
  package var standard: QuantizationType { self == .q5_K_M ? .q5_K : .q4_K }

  /// The number of `general.file_type`.
  package var fileType: UInt32 {
    switch self {
    case .q4_K_S: 14
    case .q4_K_M: 15
    case .q5_K_M: 17
    }
  }

  /// The type of one matrix, as far as its rows allow it.
  package func type(of name: String, in model: ModelOutline) -> QuantizationType {
    // Every logit comes from the output matrix, which small models share with the embedding.
    if name == (model.hasOutput ? "output.weight" : "token_embd.weight") { return .q6_K }
    guard let layer = ModelOutline.layer(of: name) else { return standard }
    let isDown = name.hasSuffix(".ffn_down.weight")
    guard isDown || name.hasSuffix(".attn_v.weight") || name.hasSuffix(".attn_qkv.weight") else { return standard }
    if self == .q4_K_S { return layer < (isDown ? model.layers / 8 : 4) ? .q5_K : standard }
    return Self.deservesMore(layer, of: model.layers) ? .q6_K : standard
  }

  /// The first and the last eighth of the layers, and every third between them.
  private static func deservesMore(_ layer: Int, of layers: Int) -> Bool {
    layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2
  }
}

/// What the rules of a mix depend on besides the tensor.
package struct ModelOutline: Sendable, Equatable {
  package let layers: Int
  /// Whether there is an output matrix apart from the embedding.
  package let hasOutput: Bool

  /// - Parameter tensorNames: of all tensors.
  package init(tensorNames: [String]) {
    layers = Set(tensorNames.compactMap(Self.layer)).count
    hasOutput = tensorNames.contains("output.weight")
  }

  /// 7 for "blk.7.attn_v.weight".
  static func layer(of name: String) -> Int? {
    guard name.hasPrefix("blk.") else { return nil }
    return Int(name.dropFirst(4).prefix { $0 != "." }).flatMap { $0 >= 0 ? $0 : nil }
  }
}

/// What a model can be quantized to: one type throughout, or a mix.
package enum QuantizationTarget: Sendable, Equatable {
  case type(QuantizationType)
  case mix(QuantizationMix)

  package var name: String {
    switch self {
    case .type(let type): type.name
    case .mix(let mix): mix.name
    }
  }

  /// The type or mix of that name, in capitals or not.
  package init?(name: String) {
    if let type = QuantizationType(name: name) {
      self = .type(type)
    } else if let mix = QuantizationMix(rawValue: name.uppercased()) {
      self = .mix(mix)
    } else {
      return nil
    }
  }
}
