// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// What the file of the classifier says in its key `stress.definition`, checked.
struct StressDefinition: Sendable, Equatable, Decodable {
  /// What people are told of the model.
  struct Card: Sendable, Equatable, Decodable {
    let data, training, figures, limits: String
  }

  struct Tiers: Sendable, Equatable, Decodable {
    let medium, low: [String]
  }

  let version: Int
  let signals: [String]
  /// What the values 0, 1 and so on mean.
  let scale: [String]
  let levels: [String]
  let tiers: Tiers
  /// Words that the levels were made of. As signals they would be their own proof.
  let measure: [String]
  let card: Card

  var range: ClosedRange<Double> { 0...Double(scale.count - 1) }

  /// - Throws: `ClassifierError.invalidModel`.
  init(_ text: String) throws(ClassifierError) {
    // The one that was made has 3 KB.
    guard text.utf8.count <= 64 << 10 else { throw .invalidModel("stress.definition is longer than 64 KiB") }
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    } catch {
      throw .invalidModel("stress.definition is not of its form")
    }
    guard version == 1 else { throw .invalidModel("stress.definition has version \(version); 1 is read") }
    guard (1...StressSignals.maximumColumns).contains(signals.count), Set(signals).count == signals.count,
      signals.allSatisfy({ !$0.isEmpty && $0 == StressSignals.canonical($0) })
    else { throw .invalidModel("stress.definition: the signals are not 1 to 256 different names") }
    guard (2...16).contains(scale.count) else {
      throw .invalidModel("stress.definition: the scale has no 2 to 16 steps")
    }
    guard levels == StressLevel.allCases.map(\.rawValue) else {
      throw .invalidModel("stress.definition: the levels are not low, moderate, high")
    }
    for tier in [tiers.medium, tiers.low] {
      guard !tier.isEmpty, Set(tier).count == tier.count, Set(tier).isSubset(of: signals) else {
        throw .invalidModel("stress.definition: a tier does not consist of signals")
      }
    }
  }
}
