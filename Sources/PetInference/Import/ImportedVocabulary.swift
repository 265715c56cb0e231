// SPDX-License-Identifier: Apache-2.0
/// The content of a SentencePiece `tokenizer.model`, as plain values.
package struct ImportedVocabulary: Sendable {
  /// Roles of tokens, numbered as in `tokenizer.ggml.token_type`.
  package enum TokenType: Int32, Sendable {
    case normal = 1, unknown, control, userDefined, unused, byte
  }

  package struct Token: Equatable, Sendable {
    /// UTF-8, with U+2581 for space.
    package var text: [UInt8]
    package var score: Float
    package var type: TokenType

    package init(text: [UInt8], score: Float, type: TokenType) {
      self.text = text
      self.score = score
      self.type = type
    }
  }

  /// Where it was read from, for messages.
  package let path: String
  /// The token of id i at index i.
  package let tokens: [Token]
  /// Text starts with a space that is not in the input.
  package let addsSpacePrefix: Bool

  package init(path: String, tokens: [Token], addsSpacePrefix: Bool) {
    self.path = path
    self.tokens = tokens
    self.addsSpacePrefix = addsSpacePrefix
  }
}
