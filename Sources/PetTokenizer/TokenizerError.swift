// SPDX-License-Identifier: Apache-2.0
/// Why a tokenizer or a chat template could not be built or used.
///
/// Errors carry keys, indices and vocabulary entries, never conversation text.
public enum TokenizerError: Error, Sendable, Equatable {
  /// A table whose offsets do not ascend from 0 to the number of its bytes, or that is too large.
  case malformedTable(count: Int, byteCount: Int)
  /// A vocabulary of no tokens, or of more than `Vocabulary.maximumTokenCount`.
  case tokenCount(Int)
  case mergeCount(Int)
  /// One value per token was expected.
  case countMismatch(key: String, expected: Int, found: Int)
  case unknownTokenType(token: Int, value: Int32)
  case tokenTooLong(token: Int, byteCount: Int, limit: Int)
  /// Control tokens, and others that are matched literally, all together.
  case literalsTooLong(byteCount: Int, limit: Int)
  case emptyToken(Int)
  case duplicateToken(Int, text: String)
  case zeroByteInToken(Int)
  case scoreNotFinite(token: Int)
  case idOutOfRange(key: String, id: Int, count: Int)
  /// `tokenizer.ggml.model` names an algorithm that is not known here.
  case unknownModel(String)
  case unknownPreTokenizer(String)
  case malformedMerge(index: Int)
  case mergeOutOfVocabulary(index: Int)
  /// A byte piece that is not spelled `<0x00>` to `<0xFF>`.
  case invalidBytePiece(token: Int, text: String)
  /// Byte fallback needs all 256 byte pieces.
  case bytePieces(found: Int)
  /// SentencePiece needs exactly one unknown piece.
  case unknownPieces(found: Int)
  /// `tokenizer.model` does not follow SentencePiece's model format.
  case malformedModel(offset: Int, what: String)
  case unsupportedModel(String)
  /// libsentencepiece refused.
  case sentencePiece(String)
  /// libsentencepiece found no memory.
  case notEnoughMemory
  case textTooLong(byteCount: Int, limit: Int)
  case missingSpecialToken(String)
  case unknownChatTemplate
}

extension TokenizerError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformedTable(let count, let byteCount):
      "string table of \(count) entries and \(byteCount) bytes: offsets do not ascend from 0 to the number of bytes; "
        + "the model file is damaged, fetch it again"
    case .tokenCount(let count):
      "tokenizer.ggml.tokens: \(count) tokens, expected 1 to \(Vocabulary.maximumTokenCount)"
    case .mergeCount(let count):
      "tokenizer.ggml.merges: \(count) merges, expected at most \(Vocabulary.maximumMergeCount)"
    case .countMismatch(let key, let expected, let found):
      "\(key): \(found) values for \(expected) tokens; the model file is damaged, fetch it again"
    case .unknownTokenType(let token, let value):
      "tokenizer.ggml.token_type: token \(token) has type \(value), expected 1 to 6"
    case .tokenTooLong(let token, let byteCount, let limit):
      "tokenizer.ggml.tokens: token \(token) has \(byteCount) bytes, the limit is \(limit)"
    case .literalsTooLong(let byteCount, let limit):
      "tokenizer.ggml.token_type: tokens that are not normal have \(byteCount) bytes together, the limit is \(limit)"
    case .emptyToken(let token):
      "tokenizer.ggml.tokens: token \(token) is empty"
    case .duplicateToken(let token, let text):
      "tokenizer.ggml.tokens: token \(token) '\(Self.printable(text))' occurs twice"
    case .zeroByteInToken(let token):
      "tokenizer.ggml.tokens: token \(token) contains a zero byte"
    case .scoreNotFinite(let token):
      "tokenizer.ggml.scores: the score of token \(token) is not a number"
    case .idOutOfRange(let key, let id, let count):
      "\(key): id \(id) is outside the vocabulary of \(count) tokens"
    case .unknownModel(let name):
      "tokenizer.ggml.model: '\(Self.printable(name))' is not supported; known are 'llama' (SentencePiece) and 'gpt2' (byte-level BPE)"
    case .unknownPreTokenizer(let name):
      "tokenizer.ggml.pre: '\(Self.printable(name))' is not supported; known are "
        + PreTokenizer.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    case .malformedMerge(let index):
      "tokenizer.ggml.merges: merge \(index) is not two tokens with one space between them"
    case .mergeOutOfVocabulary(let index):
      "tokenizer.ggml.merges: merge \(index) uses or makes a token that the vocabulary lacks"
    case .invalidBytePiece(let token, let text):
      "tokenizer.ggml.tokens: byte token \(token) is '\(Self.printable(text))', expected <0x00> to <0xFF>"
    case .bytePieces(let found):
      "tokenizer.ggml.token_type: \(found) different byte tokens, expected none or all 256"
    case .unknownPieces(let found):
      "tokenizer.ggml.token_type: \(found) unknown tokens (type 2), expected exactly one"
    case .malformedModel(let offset, let what):
      "tokenizer.model: \(what) at byte \(offset); the file is damaged or is not a SentencePiece model"
    case .unsupportedModel(let what):
      "tokenizer.model: \(what) is not supported"
    case .sentencePiece(let message):
      "libsentencepiece: \(Self.printable(message))"
    case .notEnoughMemory:
      "the system refused memory for the tokenizer; close other programs, raise the limit (ulimit -v), or use a smaller model"
    case .textTooLong(let byteCount, let limit):
      "the text has \(byteCount) bytes, the limit is \(limit); split it"
    case .missingSpecialToken(let text):
      "the chat template needs the special token '\(text)', which this vocabulary lacks; "
        + "name the right template or use another model"
    case .unknownChatTemplate:
      "tokenizer.chat_template: none of the formats known here; name one of "
        + ChatTemplate.Family.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
  }

  /// Text of a file in a message, which is a line: control characters escaped, cut after 200 characters.
  private static func printable(_ text: String) -> String {
    String(text.unicodeScalars.prefix(200)).debugDescription.dropFirst().dropLast().description
  }
}
