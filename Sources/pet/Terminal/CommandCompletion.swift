// SPDX-License-Identifier: Apache-2.0
/// What Tab does at the start of a line.
package enum CommandCompletion: Equatable {
  case none
  /// Text to put in at the cursor.
  case insert(String)
  case choices([String])

  package static func complete(_ typed: String, among commands: [String]) -> CommandCompletion {
    guard typed.hasPrefix("/"), !typed.contains(" ") else { return .none }
    let matches = commands.filter { $0.hasPrefix(typed) }
    guard let first = matches.first else { return .none }
    if matches.count == 1 { return .insert(String(first.dropFirst(typed.count)) + " ") }
    let common = matches.dropFirst().reduce(first) { shared, name in
      String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
    }
    return common.count > typed.count ? .insert(String(common.dropFirst(typed.count))) : .choices(matches)
  }
}
