// SPDX-License-Identifier: Apache-2.0
/// Whether a judgement comes to a label, or is unclear. Pure.
///
/// A label is a finding where two things hold:
/// - It is more likely than all others together. Likelihoods are calibrated as far as there was something to calibrate them by, so that a
///   label that is said of so likely a judgement is right more often than wrong.
/// - It leads the next by at least 1/n, n being the number of labels: by as much as each would have if nothing had been seen. Of few labels
///   the next is nearer at hand, so with three a finding needs two thirds where the rest is all of one other label.
///
/// Whatever else is unclear: the likeliest label is then only the first of a ranking.
package enum Finding {
  /// - Parameter likelihoods: of every label that could be said, together about 1.
  /// - Returns: nil where the judgement is unclear.
  package static func of<Label: Hashable, Value: BinaryFloatingPoint>(_ likelihoods: [Label: Value]) -> Label? {
    guard let best = likelihoods.max(by: { $0.value < $1.value }), best.value > 0.5 else { return nil }
    let next = likelihoods.filter { $0.key != best.key }.values.max() ?? 0
    return best.value - next >= 1 / Value(likelihoods.count) ? best.key : nil
  }
}
