// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// The shape of a model as its `config.json` declares it, validated.
package struct HuggingFaceConfiguration: Equatable {
  enum Architecture: String, Equatable {
    case llama, phi3
  }

  let architecture: Architecture
  let vocabularySize: Int
  let width: Int
  let layerCount: Int
  let headCount: Int
  let keyValueHeadCount: Int
  let headSize: Int
  /// Whether the file gives the head size; otherwise it is width / heads.
  let declaresHeadSize: Bool
  let feedForwardWidth: Int
  let contextLength: Int
  let normEpsilon: Float
  let ropeBase: Float
  /// Leading dimensions of each head that are rotated.
  let rotaryDimensions: Int
  package let ropeScaling: RopeScaling
  let slidingWindow: Int?
  let tiesEmbeddings: Bool

  /// Far above any published model of these architectures; products of two stay far from overflow.
  private static let maximumWidth = 1 << 16
  private static let maximumLayers = 512
  private static let maximumHeads = 1024
  private static let maximumFeedForward = 1 << 19
  private static let maximumVocabulary = 1 << 20
  static let maximumContext = 1 << 24

  private static let known = ["LlamaForCausalLM", "MistralForCausalLM", "Phi3ForCausalLM"]

  /// - Throws: `ImportError` naming the key, its value and what is expected.
  package init(_ file: ConfigurationFile) throws(ImportError) {
    guard let names = file.root["architectures"]?.array, let name = names.first?.text else {
      throw file.invalid("architectures", file.root["architectures"], "one of \(Self.known.joined(separator: ", "))")
    }
    switch name {
    case "LlamaForCausalLM", "MistralForCausalLM": architecture = .llama
    case "Phi3ForCausalLM": architecture = .phi3
    default: throw .unsupportedArchitecture(path: file.path, name: name, known: Self.known)
    }
    width = try file.integer("hidden_size", in: 1...Self.maximumWidth)
    layerCount = try file.integer("num_hidden_layers", in: 1...Self.maximumLayers)
    headCount = try file.integer("num_attention_heads", in: 1...Self.maximumHeads)
    keyValueHeadCount = try file.integer("num_key_value_heads", in: 1...headCount, default: headCount)
    guard headCount % keyValueHeadCount == 0 else {
      throw file.invalid("num_key_value_heads", file.root["num_key_value_heads"], "a divisor of \(headCount)")
    }
    declaresHeadSize = file.root["head_dim"] != nil
    guard declaresHeadSize || width % headCount == 0 else {
      throw file.invalid("hidden_size", file.root["hidden_size"], "a multiple of the \(headCount) heads")
    }
    headSize = try file.integer("head_dim", in: 2...1024, default: width / headCount)
    guard headSize % 2 == 0, headSize >= 2 else {
      throw file.invalid("head_dim", file.root["head_dim"] ?? JSONValue(number: headSize), "an even number")
    }
    feedForwardWidth = try file.integer("intermediate_size", in: 1...Self.maximumFeedForward)
    vocabularySize = try file.integer("vocab_size", in: 1...Self.maximumVocabulary)
    contextLength = try file.integer("max_position_embeddings", in: 1...Self.maximumContext)
    normEpsilon = Float(try file.number("rms_norm_eps", in: 1e-12...0.1))
    tiesEmbeddings = try file.bool("tie_word_embeddings", default: false)
    slidingWindow =
      file.root["sliding_window"] == nil ? nil : try file.integer("sliding_window", in: 1...Self.maximumContext)
    try Self.refuseUnsupported(file, architecture: name, hasWindow: slidingWindow != nil)

    // Newer files have all keys of rope in `rope_parameters`.
    let rope = file.root["rope_parameters"] ?? file.root["rope_scaling"]
    ropeBase = Float(
      try file.number(
        "rope_theta", in: 1.001...1e12,
        default: try file.number("rope_theta", in: 1.001...1e12, default: 10_000, of: rope ?? .null)))
    let fraction = try file.number(
      "partial_rotary_factor", in: 0...1,
      default: try file.number("partial_rotary_factor", in: 0...1, default: 1, of: rope ?? .null))
    rotaryDimensions = Int(Double(headSize) * fraction)
    guard rotaryDimensions >= 2, rotaryDimensions % 2 == 0, architecture == .phi3 || rotaryDimensions == headSize
    else {
      throw file.invalid(
        "partial_rotary_factor", JSONValue(number: fraction),
        architecture == .llama ? "1 for this architecture" : "an even number of the \(headSize) dimensions of a head")
    }
    ropeScaling = try RopeScaling(
      rope, file, architecture, rotaryDimensions: rotaryDimensions, contextLength: contextLength)
  }

  /// Refuses options that change the arithmetic, rather than ignore them.
  private static func refuseUnsupported(
    _ file: ConfigurationFile, architecture: String, hasWindow: Bool
  ) throws(ImportError) {
    if let activation = file.root["hidden_act"], activation.text != "silu" {
      throw file.invalid("hidden_act", activation, "'silu'")
    }
    for key in ["attention_bias", "mlp_bias"] where try file.bool(key, default: false) {
      throw .unsupportedFeature(
        path: file.path, feature: "'\(key)' is true", advice: "models with biases cannot be converted")
    }
    if file.root["quantization_config"] != nil {
      throw .unsupportedFeature(
        path: file.path, feature: "the weights are quantized ('quantization_config')",
        advice: "convert the original, unquantized model")
    }
    if hasWindow, architecture != "Phi3ForCausalLM" {
      throw .unsupportedFeature(
        path: file.path, feature: "'sliding_window' is set for \(architecture)",
        advice: "only Phi3ForCausalLM may have one; later versions of the model set it to null")
    }
  }
}
