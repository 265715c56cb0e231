// SPDX-License-Identifier: Apache-2.0
extension StringProtocol {
  /// Whether nothing of it can be seen: white space, control characters, and what only joins or directs others.
  package var isBlank: Bool {
    unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || properties.generalCategory == .control
    }
  }
}
