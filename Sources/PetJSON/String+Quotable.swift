// SPDX-License-Identifier: Apache-2.0
extension String {
  /// For an error: short, and of characters that do nothing to a terminal.
  package var quotable: String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(40).map { $0.isInvisible ? "?" : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether it shows nothing: control and format characters, half pairs, private use.
  package var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
