// SPDX-License-Identifier: Apache-2.0
/// Turns tokens into text as they are generated, a character at a time and never half of one.
///
/// - Bytes that begin a character are held until the character is complete, or until it is clear that it never will
///   be: then each maximal ill-formed part becomes one U+FFFD (Unicode 3.9, "Substitution of Maximal Subparts").
/// - Special tokens are left out unless asked for.
/// - A SentencePiece vocabulary that adds a space before text loses it again at the start.
package struct StreamingDetokenizer: Sendable {
  private let tokenizer: any Tokenizer
  private let showsSpecials: Bool
  private var stripsSpace: Bool
  /// The start of an incomplete character, at most 3 bytes, between calls.
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - showingSpecials: whether special tokens appear as they are spelled.
  ///   - strippingLeadingSpace: whether one space at the very start is dropped; by default what the vocabulary says.
  ///     Pass false to continue a text.
  package init(_ tokenizer: any Tokenizer, showingSpecials: Bool = false, strippingLeadingSpace: Bool? = nil) {
    self.tokenizer = tokenizer
    showsSpecials = showingSpecials
    stripsSpace = strippingLeadingSpace ?? tokenizer.roles.addsSpacePrefix
  }

  /// The text that a token completes; may be empty. Ids outside the vocabulary add nothing.
  package mutating func append(_ id: Int32) -> String {
    let isSpecial = tokenizer.specialTokens.hides(id)
    if isSpecial, !showsSpecials { return "" }
    let start = pending.count
    tokenizer.appendBytes(of: id, to: &pending)
    if stripsSpace, !isSpecial, start < pending.count {
      stripsSpace = false
      if pending[start] == 0x20, tokenizer.specialTokens.mayHoldSpacePrefix(id) { pending.remove(at: start) }
    }
    let complete = pending.count - Self.incompleteSuffixCount(of: pending)
    defer { pending.removeFirst(complete) }
    return String(decoding: pending[..<complete], as: UTF8.self)
  }

  /// The text that is left when no more tokens come: U+FFFD for a character cut short. Starts anew afterwards.
  package mutating func flush() -> String {
    defer { pending.removeAll() }
    return String(decoding: pending, as: UTF8.self)
  }

  /// How many of the last bytes are the start of a character that following bytes could complete.
  static func incompleteSuffixCount(of bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let tail = bytes[(bytes.count - count)...]
      guard let lead = tail.first, lead & 0xC0 != 0x80 else { continue }
      let needed =
        switch lead {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      guard count < needed else { return 0 }
      guard count > 1 else { return count }
      // The second byte decides whether the form is overlong, a surrogate or out of range.
      let allowed: ClosedRange<UInt8> =
        switch lead {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
      return allowed.contains(tail[tail.startIndex + 1]) ? count : 0
    }
    return 0
  }
}
