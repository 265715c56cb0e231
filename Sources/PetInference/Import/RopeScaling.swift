// SPDX-License-Identifier: Apache-2.0
import PetJSON

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How rotary frequencies are scaled for contexts longer than the original one.
package enum RopeScaling: Equatable {
  case none
  /// Every frequency is divided by `factor` (Chen et al. 2023, https://arxiv.org/abs/2306.15595).
  case linear(factor: Float)
  /// Each frequency is divided by its own factor (Llama 3.1).
  case factors([Float])
  /// Two sets of divisors, for contexts up to the original length and beyond (LongRoPE, Ding et al. 2024,
  /// https://arxiv.org/abs/2402.13753).
  case long(short: [Float], long: [Float], originalContext: Int, attentionFactor: Float)

  private static let known: [HuggingFaceConfiguration.Architecture: String] = [
    .llama: "default, linear, llama3", .phi3: "default, longrope",
  ]

  init(
    _ rope: JSONValue?, _ file: ConfigurationFile, _ architecture: HuggingFaceConfiguration.Architecture,
    rotaryDimensions: Int, contextLength: Int
  ) throws(ImportError) {
    let kindValue = rope?["rope_type"] ?? rope?["type"]
    switch (architecture, rope, kindValue?.text) {
    case (_, nil, _), (_, _, "default"): self = .none
    case (_, .some(let rope), nil) where kindValue == nil && rope["factor"] == nil && rope["long_factor"] == nil:
      self = .none
    case (.llama, .some(let rope), "linear"):
      self = .linear(factor: Float(try file.number("factor", in: 1e-3...1e6, of: rope)))
    case (.llama, .some(let rope), "llama3"):
      self = try .factors(Self.llama3Factors(rope, file, dimensions: rotaryDimensions))
    case (.phi3, .some(let rope), "longrope"), (.phi3, .some(let rope), "su"):
      self = try Self.long(rope, file, pairs: rotaryDimensions / 2, contextLength: contextLength)
    default:
      throw file.invalid(
        "rope_scaling type", kindValue ?? rope, "one of \(Self.known[architecture] ?? "default")")
    }
  }

  private static func long(
    _ rope: JSONValue, _ file: ConfigurationFile, pairs: Int, contextLength: Int
  ) throws(ImportError) -> RopeScaling {
    for key in ["short_mscale", "long_mscale"] where rope[key] != nil {
      throw .unsupportedFeature(
        path: file.path, feature: "'\(key)' in rope_scaling", advice: "only one attention factor is known")
    }
    guard contextLength >= 2 else {
      throw file.invalid(
        "max_position_embeddings", JSONValue(number: contextLength), "at least 2 with this rope_scaling")
    }
    let key = "original_max_position_embeddings"
    let original = try file.integer(
      key, in: 2...contextLength, default: rope[key] == nil ? nil : file.integer(key, in: 2...contextLength, of: rope))
    // An explicit factor replaces the ratio of the contexts, in the scale of attention only.
    let ratio = try file.number(
      "factor", in: 1e-3...1e6, default: Double(contextLength) / Double(original), of: rope)
    let computed = ratio <= 1 ? 1 : (1 + log(ratio) / log(Double(original))).squareRoot()
    return .long(
      short: try file.factors("short_factor", count: pairs, of: rope),
      long: try file.factors("long_factor", count: pairs, of: rope),
      originalContext: original,
      attentionFactor: Float(try file.number("attention_factor", in: 1e-3...1e3, default: computed, of: rope)))
  }

  /// Wavelengths well inside the old context stay, those beyond it are stretched by `factor`, and between the two the
  /// frequency is interpolated.
  private static func llama3Factors(
    _ rope: JSONValue, _ file: ConfigurationFile, dimensions: Int
  ) throws(ImportError) -> [Float] {
    let base = try file.number(
      "rope_theta", in: 1.001...1e12,
      default: try file.number("rope_theta", in: 1.001...1e12, default: 10_000, of: rope))
    let factor = try file.number("factor", in: 1...1e6, of: rope)
    let low = try file.number("low_freq_factor", in: 1e-6...1e6, of: rope)
    let high = try file.number("high_freq_factor", in: 1e-6...1e6, of: rope)
    guard high > low else {
      throw file.invalid("high_freq_factor", rope["high_freq_factor"], "a number above low_freq_factor, \(low)")
    }
    let original = Double(
      try file.integer(
        "original_max_position_embeddings", in: 1...HuggingFaceConfiguration.maximumContext, of: rope))
    return stride(from: 0, to: dimensions, by: 2).map { index in
      let wavelength = 2 * Double.pi * pow(base, Double(index) / Double(dimensions))
      if wavelength < original / high { return 1 }
      if wavelength > original / low { return Float(factor) }
      let smooth = (original / wavelength - low) / (high - low)
      return Float(1 / ((1 - smooth) / factor + smooth))
    }
  }
}
