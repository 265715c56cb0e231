// SPDX-License-Identifier: Apache-2.0
/// Which signals of a table are used, and what people are told of the others.
struct StressSelection {
  let used, imputed: [String]
  /// Given, and only looked at by a higher quality.
  private let higher: [String]
  /// Given, and part of what the levels were made of.
  private let measure: [String]
  private let unknown: [String]
  private let observations: Int

  /// - Parameters:
  ///   - given: the known signals that have a value.
  ///   - tier: those looked at.
  init(_ signals: StressSignals, given: Set<String>, tier: [String], of definition: StressDefinition) {
    let tier = Set(tier)
    used = definition.signals.filter { tier.contains($0) && given.contains($0) }
    imputed = definition.signals.filter { tier.contains($0) && !given.contains($0) }
    higher = definition.signals.filter { !tier.contains($0) && given.contains($0) }
    measure = definition.measure.filter { signals.columns[$0] != nil }
    unknown = signals.columns.keys.sorted().filter {
      !definition.signals.contains($0) && !definition.measure.contains($0)
    }
    observations = signals.observations
  }

  var ignored: [String] { measure + higher + unknown }

  /// - Parameter settled: share of the score's variance that the signals used settle.
  func notices(settled: Double) -> [String] {
    var notices: [String] = []
    if !imputed.isEmpty {
      let all = imputed.count + used.count
      notices.append("\(imputed.count) of \(all) signals were not given and are taken as expected from the others.")
    }
    if settled < 0.5 {
      notices.append(
        "The signals given settle \(Int((100 * settled).rounded())) % of what the model goes by: a weak answer.")
    }
    if observations > 1 {
      notices.append("The mean of \(observations) observations; the model was trained on single ones.")
    }
    if !measure.isEmpty {
      notices.append("Left out, as the levels are made of them: \(measure.joined(separator: ", ")).")
    }
    if !higher.isEmpty { notices.append("Left out at this quality: \(higher.joined(separator: ", ")).") }
    if !unknown.isEmpty { notices.append("Left out, as the model does not know them: \(unknown.count) columns.") }
    return notices
  }
}
