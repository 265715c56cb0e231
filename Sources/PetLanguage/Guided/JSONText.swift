import FoundationEssentials

/// Pieces of JSON.
package enum JSONText {
  /// A string as JSON has it, in quotes. O(n).
  package static func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case ..<" ":
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// Whether a text is one JSON object.
  package static func isObject(_ text: String) -> Bool {
    (try? JSONDecoder().decode([String: Anything].self, from: Data(text.utf8))) != nil
  }

  /// Any JSON value: it is looked at, not kept.
  private struct Anything: Decodable { init(from decoder: any Decoder) {} }
}
