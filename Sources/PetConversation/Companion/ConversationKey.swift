// SPDX-License-Identifier: Apache-2.0
/// Which conversation with a pet a turn belongs to. How closely danger is minded, and what was said lately, is the conversation's own.
public enum ConversationKey: Hashable, Sendable {
  /// The one without a name.
  case unnamed
  /// One that is kept under a name.
  case named(String)
  /// One that is kept nowhere: nothing is written of it.
  case passing(UInt64)

  var isWritten: Bool {
    if case .passing = self { false } else { true }
  }
}
