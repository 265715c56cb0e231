// SPDX-License-Identifier: Apache-2.0
/// The content of a SentencePiece `tokenizer.model`, as plain values.
public struct ImportedVocabulary: Sendable {
  /// Roles of tokens, numbered as in `tokenizer.ggml.token_type`.
  public enum TokenType: Int32, Sendable {
    case normal = 1, unknown, control, userDefined, unused, byte
  }

  public struct Token: Equatable, Sendable {
    /// UTF-8, with U+2581 for space.
    public var text: [UInt8]
    public var score: Float
    public var type: TokenType

    public init(text: [UInt8], score: Float, type: TokenType) {
      self.text = text
      self.score = score
      self.type = type
    }
  }

  /// Where it was read from, for messages.
  public let path: String
  /// The token of id i at index i.
  public let tokens: [Token]
  /// Text starts with a space that is not in the input.
  public let addsSpacePrefix: Bool

  public init(path: String, tokens: [Token], addsSpacePrefix: Bool) {
    self.path = path
    self.tokens = tokens
    self.addsSpacePrefix = addsSpacePrefix
  }
}
