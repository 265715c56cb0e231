// SPDX-License-Identifier: Apache-2.0
/// The parabola through three neighbouring values.
package enum Parabola {
  /// Where it is highest, as an offset from the middle, and how high. The middle is the greatest of the three.
  package static func peak(_ left: Float, _ middle: Float, _ right: Float) -> (offset: Float, height: Float) {
    let curvature = left - 2 * middle + right
    guard curvature < 0 else { return (0, middle) }
    let offset = 0.5 * (left - right) / curvature
    return (offset, middle - 0.25 * (left - right) * offset)
  }
}
