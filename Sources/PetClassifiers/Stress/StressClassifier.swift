// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetRuntime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// From recent signals of mood and activity to low, moderate or high. No diagnosis, and not trained on parents: see
/// `limits`.
///
/// One model for every set of signals: a linear score cut in three, with normal noise (ordered probit), over signals
/// taken for jointly normal. What is not given has an expectation and a variance given the rest, and the variance makes
/// the answer less sure. Quality is only how many signals are looked at. Made by
/// `Training/classifiers/train_stress.py`.
public struct StressClassifier: Sendable {
  private let definition: StressDefinition
  private let weights: StressWeights

  /// - Parameters:
  ///   - definition: the value of the key `stress.definition` of the file.
  ///   - tensors: `signal.mean` [k], `signal.covariance` [k x k], `score.weight` [k], `level.threshold` [2].
  /// - Throws: `ClassifierError.invalidModel`, and what the source throws.
  package init(definition: String, tensors: some TensorSource) throws {
    self.definition = try StressDefinition(definition)
    weights = try StressWeights(tensors, signals: self.definition.signals.count)
  }

  /// - Parameter file: `parent-stress.gguf`.
  /// - Throws: `ClassifierError.invalidModel`.
  package init(_ file: GGUFFile) throws {
    let weights = GGUFWeights(file)
    try weights.require(architecture: "pet-stress")
    try self.init(definition: try weights.text("stress.definition"), tensors: weights)
  }

  /// The signals looked at.
  public func signals(_ quality: ModelQuality = .high) -> [String] {
    switch quality {
    case .high: definition.signals
    case .medium: definition.tiers.medium
    case .low: definition.tiers.low
    }
  }

  /// What the values of a signal mean, from 0 on.
  public var scale: [String] { definition.scale }
  /// What it was trained on (no parents) and what it does not know, for people.
  public var limits: String { definition.card.limits }

  /// Several observations count as their mean. O(n³) for n signals; a fraction of a millisecond.
  /// - Throws: `ClassifierError.invalidInput` where a signal is no number or out of range, or none of this
  ///   quality is given.
  public func assess(
    _ signals: StressSignals, quality: ModelQuality = .high
  ) throws(ClassifierError) -> StressAssessment {
    let given = try means(of: signals)
    let selection = StressSelection(signals, given: Set(given.keys), tier: self.signals(quality), of: definition)
    let indices = definition.signals.indices.filter { selection.used.contains(definition.signals[$0]) }
    let values = indices.compactMap { given[definition.signals[$0]] }
    guard !values.isEmpty else {
      throw .invalidInput(
        "none of the signals is given; at this quality they are \(self.signals(quality).joined(separator: ", "))")
    }
    let score = try weights.score(indices, values)
    let probabilities = Self.probabilities(score, weights.thresholds)
    let settled = 1 - score.open / weights.variance
    return StressAssessment(
      level: StressLevel.allCases.reduce(.low) {
        probabilities[$1, default: 0] > probabilities[$0, default: 0] ? $1 : $0
      },
      probabilities: probabilities, factors: factors(indices, values, score.effects),
      used: selection.used, imputed: selection.imputed, ignored: selection.ignored, settled: settled,
      notices: selection.notices(settled: settled), limits: limits)
  }

  /// The mean of each known signal that was observed at all.
  private func means(of signals: StressSignals) throws(ClassifierError) -> [String: Double] {
    var means: [String: Double] = [:]
    for name in definition.signals {
      guard let column = signals.columns[name] else { continue }
      if let observation = column.notANumber {
        throw .invalidInput("signal \(name), observation \(observation): not a number")
      }
      guard column.count > 0 else { continue }
      guard definition.range.contains(column.lowest), definition.range.contains(column.highest) else {
        throw .invalidInput(
          "signal \(name) is not from 0 (\(definition.scale.first ?? "")) to \(definition.scale.count - 1) "
            + "(\(definition.scale.last ?? ""))")
      }
      means[name] = column.sum / Double(column.count)
    }
    return means
  }

  private static func probabilities(_ score: StressWeights.Score, _ thresholds: [Double]) -> [StressLevel: Double] {
    let deviation = (1 + score.open).squareRoot()
    let high = (score.expected - thresholds[1]) / deviation
    let low = (thresholds[0] - score.expected) / deviation
    let (isLow, isHigh) = (normal(below: low), normal(below: high))
    return [.low: isLow, .moderate: max(0, 1 - isLow - isHigh), .high: isHigh]
  }

  /// The standard normal distribution function.
  private static func normal(below z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }

  private func factors(_ indices: [Int], _ values: [Double], _ effects: [Double]) -> [StressAssessment.Factor] {
    zip(indices, zip(values, effects)).map { index, pair in
      StressAssessment.Factor(
        signal: definition.signals[index], value: pair.0, usual: weights.mean[index], effect: pair.1)
    }
    .filter { $0.effect != 0 }
    .sorted { abs($0.effect) > abs($1.effect) }
    .prefix(3).map(\.self)
  }
}
