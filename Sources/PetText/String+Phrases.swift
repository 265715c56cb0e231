// SPDX-License-Identifier: Apache-2.0
extension StringProtocol {
  /// With a capital at its beginning.
  package var sentenceCased: String { prefix(1).uppercased() + String(dropFirst()) }

  /// Without braces, which are the marks of replies and of places to fill.
  package var withoutBraces: String { String(filter { $0 != "{" && $0 != "}" }) }
}

extension BidirectionalCollection where Element: StringProtocol {
  /// "rain", "rain and fog", "rain, fog and wind".
  package var listed: String {
    guard let last, count > 1 else { return first.map { String($0) } ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
