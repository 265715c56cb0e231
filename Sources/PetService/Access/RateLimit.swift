// SPDX-License-Identifier: Apache-2.0
/// How often one client may ask: a bucket of requests that fills steadily. Pure.
package struct RateLimit: Sendable, Equatable {
  /// Requests that may come at once.
  package var burst: Double
  package var perSecond: Double

  /// - Parameter perMinute: as many may also come at once.
  package init(perMinute: Int) {
    burst = Double(max(1, perMinute))
    perSecond = burst / 60
  }

  package struct Bucket: Sendable, Equatable {
    fileprivate var level: Double
    fileprivate var time: Double
  }

  package enum Decision: Sendable, Equatable {
    case allowed
    /// - Parameter retryAfter: whole seconds until one is.
    case refused(retryAfter: Int)
  }

  /// - Parameters:
  ///   - bucket: the client's; nil: it has not asked before.
  ///   - time: in seconds, of a clock that never goes back.
  package func decide(_ bucket: inout Bucket?, at time: Double) -> Decision {
    var level = burst
    if let bucket { level = min(burst, bucket.level + max(0, time - bucket.time) * perSecond) }
    guard level >= 1 else {
      bucket = Bucket(level: level, time: time)
      return .refused(retryAfter: max(1, Int(((1 - level) / perSecond).rounded(.up))))
    }
    bucket = Bucket(level: level - 1, time: time)
    return .allowed
  }
}
