// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetJSON

/// Pieces of JSON.
package enum JSONText {
  /// A string as JSON has it, in quotes. O(n).
  package static func quoted(_ text: String) -> String {
    String(decoding: JSONSpelling.quoted(Array(text.utf8)), as: UTF8.self)
  }

  /// Whether a text is one JSON object.
  package static func isObject(_ text: String) -> Bool {
    (try? JSONDecoder().decode([String: Anything].self, from: Data(text.utf8))) != nil
  }

  /// Any JSON value: it is looked at, not kept.
  private struct Anything: Decodable { init(from decoder: any Decoder) {} }
}
