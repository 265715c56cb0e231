// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// How much of a message a model reads: no message may take the place of the conversation and of the reply.
struct MessageLimit {
  /// Tokens to expect of a message.
  static let usual = 48
  /// Joined to what stands around it a text may take so many tokens more than alone.
  static let joint = 2
  /// No token of a vocabulary for text is longer on average.
  private static let bytesPerToken = 16

  let tokens: Int

  /// - Parameter room: tokens that the system text and the reply leave.
  init(contextLength: Int, room: Int) { tokens = max(1, min(contextLength / 3, room)) }

  /// The message, or its beginning and its end where it is too long.
  /// - Complexity: O(bytes); of what is far too long only as much is tokenized as could count.
  func apply(
    to message: String, _ tokenizer: any Tokenizer
  ) throws(TokenizerError) -> (text: String, notice: CompanionAnswer.Notice?) {
    let most = tokens * Self.bytesPerToken
    let bytes = Array(message.utf8)
    if bytes.count <= 2 * most {
      let ids = try tokenizer.encode(message)
      guard ids.count > tokens else { return (message, nil) }
      // Shares of bytes stand for shares of tokens.
      let kept = max(1, bytes.count * tokens / ids.count)
      return try shortened(bytes, to: kept, tokenizer)
    }
    return try shortened(bytes, to: most, tokenizer)
  }

  private func shortened(
    _ bytes: [UInt8], to kept: Int, _ tokenizer: any Tokenizer
  ) throws(TokenizerError) -> (text: String, notice: CompanionAnswer.Notice?) {
    var kept = kept
    while true {
      let head = String(decoding: Self.whole(bytes.prefix(kept * 2 / 3)), as: UTF8.self)
      let tail = String(decoding: Self.whole(bytes.suffix(kept - kept * 2 / 3)), as: UTF8.self)
      let text = head + " \u{2026} " + tail
      let isShort = try tokenizer.encode(text).count <= tokens
      if isShort || kept <= 8 {
        return (text, .shortened(characters: text.count))
      }
      kept = kept * 3 / 4
    }
  }

  /// Without the parts of characters at its ends.
  private static func whole(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes.drop { $0 & 0xC0 == 0x80 }
    guard let lead = start.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return [] }
    let length = start[lead] < 0x80 ? 1 : start[lead] < 0xE0 ? 2 : start[lead] < 0xF0 ? 3 : 4
    return start.endIndex - lead < length ? start[..<lead] : start
  }
}
