// SPDX-License-Identifier: Apache-2.0
/// How long one inference may take, in milliseconds.
public struct LatencyTargets: Sendable, Equatable, Codable {
  public let p50: Double
  public let p95: Double
  public let p99: Double
}
