// SPDX-License-Identifier: Apache-2.0
/// What the classifier makes of recent signals. No diagnosis: `limits` says what it was trained on.
public struct StressAssessment: Sendable, Equatable {
  /// A signal and what it did.
  public struct Factor: Sendable, Equatable {
    public enum Direction: String, Sendable, Codable { case raises, lowers }

    public let signal: String
    /// The mean of what was observed, on the scale of the signals.
    public let value: Double
    /// The mean of the people whom the classifier was trained on.
    public let usual: Double
    /// By how much the signal moved the score away from what is usual, beside the others given and with what it tells
    /// of those not given. Unit: the standard deviation of the model's noise; moderate is 1.7 wide.
    public let effect: Double

    public var direction: Direction { effect > 0 ? .raises : .lowers }
  }

  /// The most probable one.
  public let level: StressLevel
  /// Of each level, 0 to 1; together 1.
  public let probabilities: [StressLevel: Double]
  /// Up to three signals that weighed most, first the one that did most.
  public let factors: [Factor]
  /// The signals that were used.
  public let used: [String]
  /// Signals of this quality that were not given, and are taken as expected from those that were.
  public let imputed: [String]
  /// Columns that were left out: not known, not of this quality, or part of the measure itself.
  public let ignored: [String]
  /// How much of the variance of the model's score the signals given settle, 0 to 1.
  public let settled: Double
  /// What to know about this result, for people.
  public let notices: [String]
  /// What to know about every result, for people.
  public let limits: String

  /// Of `level`, 0 to 1.
  public var probability: Double { probabilities[level] ?? 0 }
  /// The level that the judgement comes to; nil where it is unclear: no level is more likely than both others together, and leads the next
  /// by at least a third. ``level`` is then only the first of a ranking.
  public var finding: StressLevel? { Finding.of(probabilities) }
  public var isClear: Bool { finding != nil }
}

extension StressAssessment: Encodable {
  private enum Key: String, CodingKey {
    case finding, level, probability, probabilities, factors, used, imputed, ignored, settled, notices, limits
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    // Null where it is unclear.
    try fields.encode(finding, forKey: .finding)
    try fields.encode(level, forKey: .level)
    try fields.encode(probability, forKey: .probability)
    // As an object: a dictionary whose keys are no strings becomes an array.
    try fields.encode(
      Dictionary(uniqueKeysWithValues: probabilities.map { ($0.key.rawValue, $0.value) }), forKey: .probabilities)
    try fields.encode(factors, forKey: .factors)
    try fields.encode(used, forKey: .used)
    try fields.encode(imputed, forKey: .imputed)
    try fields.encode(ignored, forKey: .ignored)
    try fields.encode(settled, forKey: .settled)
    try fields.encode(notices, forKey: .notices)
    try fields.encode(limits, forKey: .limits)
  }
}

extension StressAssessment.Factor: Encodable {
  private enum Key: String, CodingKey { case signal, value, usual, effect, direction }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(signal, forKey: .signal)
    try fields.encode(value, forKey: .value)
    try fields.encode(usual, forKey: .usual)
    try fields.encode(effect, forKey: .effect)
    try fields.encode(direction, forKey: .direction)
  }
}
