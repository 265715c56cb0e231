// SPDX-License-Identifier: Apache-2.0
/// Smooths a number over time: much while it changes slowly, little while it changes fast.
/// G. Casiez, N. Roussel, D. Vogel, "1 Euro Filter", CHI 2012, https://doi.org/10.1145/2207676.2208639
package struct OneEuroFilter: Sendable, Equatable {
  package struct Parameters: Sendable, Equatable {
    /// Hertz while nothing changes.
    package let cutoff: Float
    /// Hertz more for a speed of 1.
    package let beta: Float
    /// Hertz, of the speed itself.
    package var speedCutoff: Float = 1

    package init(cutoff: Float, beta: Float) {
      self.cutoff = cutoff
      self.beta = beta
    }
  }

  let parameters: Parameters
  private var last: (raw: Float, smooth: Float, speed: Float)?

  package init(_ parameters: Parameters) { self.parameters = parameters }

  /// - Parameters:
  ///   - seconds: since the number before; more than 0.
  ///   - scale: makes a speed of what the number changes by in a second.
  package mutating func smooth(_ value: Float, seconds: Float, scale: Float) -> Float {
    guard let before = last else {
      last = (value, value, 0)
      return value
    }
    let speed = Self.blend(
      before.speed, (value - before.raw) * scale / seconds, cutoff: parameters.speedCutoff, seconds: seconds)
    let cutoff = parameters.cutoff + parameters.beta * abs(speed)
    let smooth = Self.blend(before.smooth, value, cutoff: cutoff, seconds: seconds)
    last = (value, smooth, speed)
    return smooth
  }

  /// One step of a low-pass filter of first order.
  private static func blend(_ before: Float, _ value: Float, cutoff: Float, seconds: Float) -> Float {
    let constant = 1 / (2 * Float.pi * cutoff)
    let weight = 1 / (1 + constant / seconds)
    return before + weight * (value - before)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.parameters == right.parameters && left.last?.raw == right.last?.raw && left.last?.smooth == right.last?.smooth
      && left.last?.speed == right.last?.speed
  }
}
