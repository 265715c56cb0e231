// SPDX-License-Identifier: Apache-2.0
/// How much of a machine the engine takes. What each takes: `Configuration`'s defaults.
public enum Profile: String, Sendable, CaseIterable, Codable {
  /// Every processor that may be used, the full context.
  case phone
  /// One thread, a small context, the model that is part of the program.
  case watch
}
