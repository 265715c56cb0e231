// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// How often each client has asked lately.
final class ClientRates: Sendable {
  private let limit: RateLimit
  private let buckets = Mutex<[AccessPolicy.Client: RateLimit.Bucket]>([:])
  private let clock = ContinuousClock()
  private let start = ContinuousClock.now

  init(_ limit: RateLimit) { self.limit = limit }

  /// - Throws: ``ServiceError`` where it is too often.
  func take(_ client: AccessPolicy.Client) throws(ServiceError) {
    let time = (clock.now - start) / .seconds(1)
    // There are as many as tokens, and this user and root: none need be forgotten.
    switch buckets.withLock({ limit.decide(&$0[client], at: time) }) {
    case .allowed: return
    case .refused(let seconds):
      throw ServiceError(
        .tooManyRequests, "too many requests; ask again in \(seconds) s", code: "rate_limit_exceeded",
        retryAfter: seconds)
    }
  }
}
