// SPDX-License-Identifier: Apache-2.0
/// Something that does not go as it should, or does again.
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
  /// nil: it is well again.
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
