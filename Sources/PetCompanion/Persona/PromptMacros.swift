// SPDX-License-Identifier: Apache-2.0
/// The names that stand for others in a persona's texts: `{{char}}` and `<BOT>` for the pet, `{{user}}` and `<USER>` for the
/// person, in any case.
package struct PromptMacros: Sendable {
  private let values: [(macro: [UInt8], value: [UInt8])]

  package init(char: String, user: String) {
    let (char, user) = (Array(char.utf8), Array(user.utf8))
    // `{{original}}` is the system text that a card's own would replace; here it is never replaced.
    values = [("{{char}}", char), ("{{user}}", user), ("<bot>", char), ("<user>", user), ("{{original}}", [])]
      .map { (Array($0.0.utf8), $0.1) }
  }

  /// The text with its macros filled in, once: what is filled in is never looked at again.
  package func fill(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var filled: [UInt8] = []
    var offset = 0
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "{") || bytes[offset] == UInt8(ascii: "<"),
        let (macro, value) = values.first(where: { Self.begins(bytes[offset...], with: $0.macro) })
      {
        filled += value
        offset += macro.count
      } else {
        filled.append(bytes[offset])
        offset += 1
      }
    }
    return String(decoding: filled, as: UTF8.self)
  }

  private static func begins(_ bytes: ArraySlice<UInt8>, with macro: [UInt8]) -> Bool {
    bytes.count >= macro.count
      && zip(bytes, macro).allSatisfy { byte, wanted in
        byte == wanted || ((0x41...0x5A).contains(byte) && byte + 0x20 == wanted)
      }
  }
}
