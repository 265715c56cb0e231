// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// JSON files that are part of the program.
package enum BuiltInText {
  /// Decodes a file that is embedded. One that does not decode ends the program with its name and its fault: it is part of the
  /// build, and a test decodes each.
  /// - Parameter name: as in `prompts`.
  package static func decode<Value: Decodable>(_ name: String, _ bytes: [UInt8]) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      fatalError("prompts/\(name) does not decode: \(error)")
    }
  }
}
