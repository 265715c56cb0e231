// SPDX-License-Identifier: Apache-2.0
/// Who waits for a reply.
public enum RequestPriority: Int, Sendable, Codable, CaseIterable, Comparable {
  /// Nobody does just now: summaries, thoughts.
  case background
  /// Somebody who reads along.
  case interactive

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
