// SPDX-License-Identifier: Apache-2.0
/// The numbers of the model: a score that is linear in k signals, and how the signals vary with each other.
struct StressWeights: Sendable {
  /// [k], of a signal.
  let mean: [Double]
  /// [k x k] by rows.
  let covariance: [Double]
  /// [k]: score per step of the signal, all signals given.
  let weight: [Double]
  /// [2]: the scores at which moderate and high begin, with noise of variance 1.
  let thresholds: [Double]
  /// [k]: covariance of each signal with the score.
  let shared: [Double]
  /// Variance of the score.
  let variance: Double

  /// - Throws: `ClassifierError.invalidModel`, and what the source throws.
  init(_ tensors: some TensorSource, signals count: Int) throws {
    func read(_ name: String, _ length: Int) throws -> [Double] {
      let values = try tensors.finite(name, count: length)
      // Far from what overflows when multiplied.
      guard values.allSatisfy({ abs($0) <= 1e6 }) else {
        throw ClassifierError.invalidModel("tensor \(name) is out of range")
      }
      return values.map(Double.init)
    }
    mean = try read("signal.mean", count)
    weight = try read("score.weight", count)
    thresholds = try read("level.threshold", 2)
    guard thresholds[0] < thresholds[1] else {
      throw ClassifierError.invalidModel("tensor level.threshold does not increase")
    }
    let covariance = try read("signal.covariance", count * count)
    for row in 0..<count {
      for column in 0..<row where covariance[row * count + column] != covariance[column * count + row] {
        throw ClassifierError.invalidModel("tensor signal.covariance is not symmetric")
      }
    }
    guard CholeskyFactor(covariance, size: count) != nil else {
      throw ClassifierError.invalidModel("tensor signal.covariance is not positive definite")
    }
    self.covariance = covariance
    let weight = weight
    shared = (0..<count).map { row in (0..<count).reduce(0) { $0 + covariance[row * count + $1] * weight[$1] } }
    variance = zip(weight, shared).reduce(0) { $0 + $1.0 * $1.1 }
    guard variance > 0 else { throw ClassifierError.invalidModel("tensor score.weight is zero") }
  }

  /// What the score is when only some signals are known.
  struct Score {
    /// Of the signals, in the order given: by how much each moves the score, with what it tells of those not given.
    let effects: [Double]
    let expected: Double
    /// Variance of the score that is left open.
    let open: Double
  }

  /// The normal distribution of the score given `values` of the signals `indices`. O(n³) for n of them.
  /// - Throws: `ClassifierError.invalidModel` where the covariance cannot be solved.
  func score(_ indices: [Int], _ values: [Double]) throws(ClassifierError) -> Score {
    let given = indices.flatMap { row in indices.map { covariance[row * mean.count + $0] } }
    guard let factor = CholeskyFactor(given, size: indices.count) else {
      throw .invalidModel("tensor signal.covariance is not positive definite")
    }
    let slopes = factor.solve(indices.map { shared[$0] })
    let effects = zip(indices, zip(slopes, values)).map { index, pair in pair.0 * (pair.1 - mean[index]) }
    let usual = zip(weight, mean).reduce(0) { $0 + $1.0 * $1.1 }
    let settled = zip(indices, slopes).reduce(0) { $0 + shared[$1.0] * $1.1 }
    return Score(effects: effects, expected: effects.reduce(usual, +), open: max(0, variance - settled))
  }
}
