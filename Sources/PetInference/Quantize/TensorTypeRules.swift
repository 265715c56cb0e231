// SPDX-License-Identifier: Apache-2.0
/// A type for the tensors whose names match a pattern.
package struct TensorTypeRule: Sendable, Equatable {
  /// A tensor's name, in which `*` stands for any characters and `?` for any one.
  package let pattern: String
  package let type: QuantizationType

  package init(pattern: String, type: QuantizationType) {
    self.pattern = pattern
    self.type = type
  }

  /// Reads "PATTERN=TYPE", such as "blk.*.ffn_down.weight=Q8_0"; nil where it is not of that form.
  package init?(text: String) {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
      let type = QuantizationType(name: String(text[text.index(after: sign)...]))
    else { return nil }
    self.init(pattern: String(text[..<sign]), type: type)
  }

  /// O(length of the pattern times length of the name).
  package func matches(_ name: String) -> Bool {
    let (pattern, name) = (Array(pattern.utf8), Array(name.utf8))
    var (p, n) = (0, 0)
    // Where the last `*` was, and where what it stands for ends so far.
    var star: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p, n)
        p += 1
      } else if p < pattern.count, pattern[p] == name[n] || pattern[p] == UInt8(ascii: "?") {
        p += 1
        n += 1
      } else if let last = star {
        star = (last.pattern, last.name + 1)
        p = last.pattern + 1
        n = last.name + 1
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// Which type each tensor gets.
package struct TensorTypeRules: Sendable, Equatable {
  /// The type of a tensor, and the requested one where it does not fit.
  package struct Decision: Sendable, Equatable {
    package let type: QuantizationType
    /// The type that was asked for and whose blocks do not divide the rows.
    package let refused: QuantizationType?

    package init(type: QuantizationType, refused: QuantizationType?) {
      self.type = type
      self.refused = refused
    }
  }

  package let standard: QuantizationTarget
  /// Where several match, the last one counts.
  package let overrides: [TensorTypeRule]

  package init(_ standard: QuantizationTarget, overrides: [TensorTypeRule] = []) {
    self.standard = standard
    self.overrides = overrides
  }

  package init(_ standard: QuantizationType, overrides: [TensorTypeRule] = []) {
    self.init(.type(standard), overrides: overrides)
  }

  /// Vectors are F32 whatever the rules say: norms are small, multiply everything, and the engine reads them as floats.
  /// Rows that are no whole number of blocks get the type's fallback, or F16 where they are no whole number of its either.
  ///
  /// - Parameters:
  ///   - dimensions: as in GGUF, the length of a row first.
  ///   - model: what the tensor belongs to; mixes ask.
  package func decide(
    _ name: String, dimensions: [Int], in model: ModelOutline = ModelOutline(tensorNames: [])
  ) -> Decision {
    guard Self.isMatrix(dimensions) else { return Decision(type: .f32, refused: nil) }
    let type = overrides.last { $0.matches(name) }?.type ?? standard(name, model)
    let candidates = [type, type.fallback ?? type]
    let fitting = candidates.first { dimensions[0].isMultiple(of: $0.tensorType.blockElements) } ?? .f16
    return Decision(type: fitting, refused: fitting == type ? nil : type)
  }

  private func standard(_ name: String, _ model: ModelOutline) -> QuantizationType {
    switch standard {
    case .type(let type): type
    case .mix(let mix): mix.type(of: name, in: model)
    }
  }

  /// Whether more than the first dimension counts.
  package static func isMatrix(_ dimensions: [Int]) -> Bool {
    dimensions.dropFirst().contains { $0 > 1 }
  }
}
