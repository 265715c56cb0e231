// SPDX-License-Identifier: Apache-2.0
/// The structural tokens of a sequence, and the rules for spaces around text: a few GGUF keys.
public struct TokenRoles: Sendable, Equatable {
  /// `tokenizer.ggml.bos_token_id`
  package var beginOfSequence: Int?
  /// `tokenizer.ggml.eos_token_id`
  package var endOfSequence: Int?
  /// `tokenizer.ggml.eot_token_id`
  package var endOfTurn: Int?
  /// `tokenizer.ggml.unknown_token_id`
  package var unknown: Int?
  /// `tokenizer.ggml.add_bos_token`: sequences start with ``beginOfSequence``.
  package var addsBeginOfSequence: Bool
  /// `tokenizer.ggml.add_eos_token`: complete sequences end with ``endOfSequence``.
  package var addsEndOfSequence: Bool
  /// `tokenizer.ggml.add_space_prefix`: SentencePiece text starts with a space that decoding removes.
  package var addsSpacePrefix: Bool
  /// Whitespace after a special token belongs to the token, when special tokens are parsed or a template is rendered.
  ///
  /// True for Phi-3 with SentencePiece. Its reference tokenizer declares the added tokens with `rstrip`, so the newline
  /// that the chat template writes after `<|user|>` never reached the model in training. The begin-of-sequence, unknown
  /// and `<|endoftext|>` tokens are declared without.
  package var stripsAfterSpecialTokens: Bool

  package init(
    beginOfSequence: Int? = nil, endOfSequence: Int? = nil, endOfTurn: Int? = nil, unknown: Int? = nil,
    addsBeginOfSequence: Bool = false, addsEndOfSequence: Bool = false,
    addsSpacePrefix: Bool = false, stripsAfterSpecialTokens: Bool = false
  ) {
    self.beginOfSequence = beginOfSequence
    self.endOfSequence = endOfSequence
    self.endOfTurn = endOfTurn
    self.unknown = unknown
    self.addsBeginOfSequence = addsBeginOfSequence
    self.addsEndOfSequence = addsEndOfSequence
    self.addsSpacePrefix = addsSpacePrefix
    self.stripsAfterSpecialTokens = stripsAfterSpecialTokens
  }

  /// The defaults of absent keys, as in llama.cpp.
  package static func defaults(for algorithm: Vocabulary.Algorithm) -> TokenRoles {
    switch algorithm {
    case .sentencePiece:
      TokenRoles(
        beginOfSequence: 1, endOfSequence: 2, unknown: 0, addsBeginOfSequence: true, addsSpacePrefix: true)
    case .byteLevelBPE: TokenRoles()
    }
  }

  func validate(count: Int) throws(TokenizerError) {
    let ids: [(String, Int?)] = [
      ("tokenizer.ggml.bos_token_id", beginOfSequence), ("tokenizer.ggml.eos_token_id", endOfSequence),
      ("tokenizer.ggml.eot_token_id", endOfTurn), ("tokenizer.ggml.unknown_token_id", unknown),
    ]
    for (key, id) in ids {
      if let id, !(0..<count).contains(id) { throw .idOutOfRange(key: key, id: id, count: count) }
    }
    if addsBeginOfSequence, beginOfSequence == nil {
      throw .idOutOfRange(key: "tokenizer.ggml.bos_token_id", id: -1, count: count)
    }
    if addsEndOfSequence, endOfSequence == nil {
      throw .idOutOfRange(key: "tokenizer.ggml.eos_token_id", id: -1, count: count)
    }
  }
}
