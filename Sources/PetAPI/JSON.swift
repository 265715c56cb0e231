// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON in requests and responses.
package enum JSON {
  /// What is encoded is of this program's own types: none of them fails.
  package static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }
}
