// SPDX-License-Identifier: Apache-2.0
/// How short memory is.
public enum MemoryPressureLevel: Int, Sendable, Comparable, CaseIterable {
  case normal
  /// Tasks wait for memory now and then, or little is left.
  case warning
  /// All work stands still for memory now and then, or next to nothing is left.
  case critical

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
