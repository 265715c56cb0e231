// SPDX-License-Identifier: Apache-2.0
/// A clock on which all time passes at once: waits end when they begin, unless their task is cancelled.
public struct ImmediateClock: Clock {
  public typealias Instant = ContinuousClock.Instant

  public init() {}

  public var now: Instant { ContinuousClock.now }
  public var minimumResolution: Duration { .zero }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}
