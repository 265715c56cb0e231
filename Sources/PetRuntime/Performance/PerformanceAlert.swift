// SPDX-License-Identifier: Apache-2.0
/// A figure of a model that exceeds its limit, or is within it again.
public struct PerformanceAlert: Sendable, Equatable {
  public enum Severity: Int, Sendable, Comparable, CaseIterable {
    case warning, critical

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  public enum Kind: String, Sendable, CaseIterable {
    case latency, memory, battery, compliance
  }

  public var model: String
  public var kind: Kind
  /// nil: the alert has ended.
  public var severity: Severity?
  /// For people, with the figures.
  public var message: String

  package init(model: String, kind: Kind, severity: Severity?, message: String) {
    self.model = model
    self.kind = kind
    self.severity = severity
    self.message = message
  }
}
