// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How fast something fades.
package struct HalfLife: Sendable {
  package let seconds: Double

  package init(hours: Double) { seconds = hours * 3600 }

  package init(minutes: Double) { seconds = minutes * 60 }

  /// What is left of 1 after `elapsed` seconds; 1 for none or fewer.
  package func left(after elapsed: Int64, speed: Double = 1) -> Double {
    exp2(-Double(max(0, elapsed)) * speed / seconds)
  }

  /// The share that goes in an hour, as a rate.
  package var perHour: Double { M_LN2 * 3600 / seconds }
}
