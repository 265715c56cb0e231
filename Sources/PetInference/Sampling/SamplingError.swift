// SPDX-License-Identifier: Apache-2.0
/// A sampling option outside its range, or nothing left to choose from.
public enum SamplingError: Error, Equatable, CustomStringConvertible {
  case outOfRange(option: String, value: Float, allowed: ClosedRange<Float>)
  case countOutOfRange(option: String, value: Int, allowed: ClosedRange<Int>)
  case noCandidates
  case notANumber

  static func check(_ option: String, _ value: Float, _ allowed: ClosedRange<Float>) throws(SamplingError) -> Float {
    guard allowed.contains(value) else { throw .outOfRange(option: option, value: value, allowed: allowed) }
    return value
  }

  package static func check(
    _ option: String, count: Int, _ allowed: ClosedRange<Int>
  ) throws(SamplingError) -> Int {
    guard allowed.contains(count) else { throw .countOutOfRange(option: option, value: count, allowed: allowed) }
    return count
  }

  public var description: String {
    switch self {
    case .outOfRange(let option, let value, let allowed):
      "\(option) is \(Self.written(value)); give a number from \(Self.written(allowed.lowerBound)) to \(Self.written(allowed.upperBound))"
    case .countOutOfRange(let option, let value, let allowed):
      "\(option) is \(value); give a number from \(allowed.lowerBound) to \(allowed.upperBound)"
    case .noCandidates: "no token may follow: the grammar allows none; check the grammar"
    case .notANumber: "the model's output is not a number: its weights are damaged; fetch or convert it again"
    }
  }

  /// Whole numbers as people write them: 1, not 1.0.
  private static func written(_ value: Float) -> String {
    value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
  }
}
