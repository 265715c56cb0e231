/// Flattens (above 1) or sharpens (below 1) a distribution (Ackley, Hinton and Sejnowski 1985). 0 means: always the
/// likeliest token.
public struct Temperature: Sendable, Equatable {
  public let value: Float

  /// - Throws: `SamplingError.outOfRange` unless 0 <= value <= 10.
  public init(_ value: Float) throws(SamplingError) {
    self.value = try SamplingError.check("temperature", value, 0...10)
  }

  var isGreedy: Bool { value == 0 }

  func apply(to candidates: inout Candidates) {
    guard value != 1, value > 0 else { return }
    for index in candidates.entries.indices { candidates.entries[index].logit /= value }
  }
}
