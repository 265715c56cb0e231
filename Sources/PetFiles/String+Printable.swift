// SPDX-License-Identifier: Apache-2.0
extension String {
  /// The text with control characters escaped, cut after 200 characters: names from a file go to a terminal.
  package var printable: String { printable(atMost: 200) }

  /// As ``printable``, cut after `limit` characters.
  package func printable(atMost limit: Int) -> String {
    var result = ""
    for (index, scalar) in unicodeScalars.enumerated() {
      if index == limit { return result + "..." }
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
