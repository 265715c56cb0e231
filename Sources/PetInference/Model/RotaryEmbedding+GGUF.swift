// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension RotaryEmbedding {
  init(
    _ reader: ModelConfiguration.Reader, _ architecture: ModelConfiguration.Architecture, headSize: Int,
    contextLength: Int
  ) throws(GGUFError) {
    layout = architecture == .llama ? .pairs : .halves
    dimensions = try reader.integer("rope.dimension_count", in: 2...headSize, default: headSize)
    guard dimensions % 2 == 0 else { throw reader.wrong("rope.dimension_count", "\(dimensions)", "an even number") }
    base = try reader.file.float(reader.key("rope.freq_base")) ?? 10_000
    guard base > 1, base < 1e12 else { throw reader.wrong("rope.freq_base", "\(base)", "a number from 1 to 1e12") }
    scaling = try Self.scaling(reader, pairs: dimensions / 2, contextLength: contextLength)
  }

  private static func scaling(
    _ reader: ModelConfiguration.Reader, pairs: Int, contextLength: Int
  ) throws(GGUFError) -> Scaling {
    let file = reader.file
    let missing = ["rope_factors_long.weight", "rope_factors_short.weight"].filter { file.tensors[$0] == nil }
    if missing.count == 1 { throw file.error(.missingTensor(missing[0])) }
    if let long = try factors("rope_factors_long.weight", pairs, file),
      let short = try factors("rope_factors_short.weight", pairs, file)
    {
      let original = try reader.integer("rope.scaling.original_context_length", in: 1...contextLength)
      let attention = try file.float(reader.key("rope.scaling.attn_factor"))
      if let attention, !(0.01...100).contains(attention) {
        throw reader.wrong("rope.scaling.attn_factor", "\(attention)", "a number from 0.01 to 100")
      }
      return .long(
        short: short, long: long, originalContext: original,
        attentionFactor: attention ?? longAttentionFactor(context: contextLength, original: original))
    }
    if let factors = try factors("rope_freqs.weight", pairs, file) { return .factors(factors) }
    // As in llama.cpp: the factor may have its old name, and a factor without a type means linear scaling.
    let isNamed = try file.float(reader.key("rope.scaling.factor")) != nil
    let suffix = isNamed ? "rope.scaling.factor" : "rope.scale_linear"
    let found = try file.float(reader.key(suffix))
    let kind = try file.string(reader.key("rope.scaling.type")) ?? (found ?? 0 == 0 ? "none" : "linear")
    switch kind {
    case "none": return .none
    case "linear":
      let factor = try file.require(reader.key("rope.scaling.factor"), found)
      guard factor > 0 else { throw reader.wrong(suffix, "\(factor)", "a positive number") }
      return .linear(factor: factor)
    case "longrope", "su":
      throw file.error(.missingTensor("rope_factors_long.weight"))
    default: throw file.error(.unsupportedFeature(key: reader.key("rope.scaling.type"), value: kind))
    }
  }

  private static func factors(_ name: String, _ pairs: Int, _ file: GGUFFile) throws(GGUFError) -> [Float]? {
    guard let tensor = file.tensors[name] else { return nil }
    guard tensor.dimensions == [pairs] else {
      throw file.error(.tensorShape(tensor: name, found: tensor.dimensions, expected: [pairs]))
    }
    guard tensor.type == .f32 else {
      throw file.error(.tensorType(tensor: name, found: tensor.type.name, expected: "F32"))
    }
    let values = file.data(of: tensor).withMemoryRebound(to: UInt32.self) { $0.map { Float(bitPattern: $0) } }
    guard values.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw file.error(.keyValue(key: name, value: "not all positive", allowed: "a positive number everywhere"))
    }
    return values
  }

  /// The growth of attention's scale with the context, as LongRoPE defines it (equation in section 3.4 of
  /// https://arxiv.org/abs/2402.13753).
  static func longAttentionFactor(context: Int, original: Int) -> Float {
    guard context > original, original > 1 else { return 1 }
    return Float((1 + log(Double(context) / Double(original)) / log(Double(original))).squareRoot())
  }
}
