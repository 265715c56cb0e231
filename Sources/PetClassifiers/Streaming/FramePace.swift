// SPDX-License-Identifier: Apache-2.0
/// Which frames of a film are looked at, so that on average there are so many a second and no more.
package struct FramePace: Sendable {
  private let interval: Double
  private var due: Double?
  /// Clocks of cameras are not exact.
  private static let tolerance = 0.001

  /// - Parameter rate: frames per second, more than 0.
  package init(rate: Double) { interval = 1 / rate }

  /// Whether the frame that was taken at `seconds` is to be looked at. After a gap, and where time went back, it is.
  package mutating func takes(_ seconds: Double) -> Bool {
    guard let due, seconds >= due - 2 * interval else {
      self.due = seconds + interval
      return true
    }
    guard seconds >= due - Self.tolerance else { return false }
    self.due = (seconds - due > interval ? seconds : due) + interval
    return true
  }
}
