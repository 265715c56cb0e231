// SPDX-License-Identifier: Apache-2.0
/// A system text: what holds all the while, and what is added to it for now.
package struct Instructions: Sendable, Equatable, Codable {
  package var text: String
  /// With what parts it from the text.
  package var addition = ""

  package init(_ text: String, adding addition: String = "") {
    self.text = text
    self.addition = addition
  }

  package var whole: String { text + addition }
}
