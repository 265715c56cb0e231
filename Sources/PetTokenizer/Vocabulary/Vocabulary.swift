// SPDX-License-Identifier: Apache-2.0
/// The tokenizer of a model file: GGUF's `tokenizer.ggml.*` keys, validated: counts agree, ids are in range, sizes are bounded.
public struct Vocabulary: Sendable {
  /// Largest vocabulary accepted; the largest published one has 262,144 tokens.
  package static let maximumTokenCount = 1 << 20
  package static let maximumMergeCount = 1 << 21
  /// Longest token accepted; published ones are runs of a few hundred spaces.
  package static let maximumTokenByteCount = 1 << 14
  /// Longest token that is matched literally in text. Matching is O(its length) per position of the text.
  package static let maximumLiteralByteCount = 1 << 10
  /// All of those together: each byte takes a node of a tree. Published vocabularies have some 100 KB of them.
  package static let maximumLiteralsByteCount = 1 << 20

  /// How text becomes tokens.
  package enum Algorithm: Sendable, Equatable {
    case sentencePiece
    case byteLevelBPE(PreTokenizer)

    /// - Parameters:
    ///   - model: `tokenizer.ggml.model`: `llama` or `gpt2`.
    ///   - preTokenizer: `tokenizer.ggml.pre`, needed by `gpt2`.
    package init(model: String, preTokenizer: String?) throws(TokenizerError) {
      switch model {
      case "llama": self = .sentencePiece
      case "gpt2": self = .byteLevelBPE(try PreTokenizer(name: preTokenizer ?? ""))
      default: throw .unknownModel(model)
      }
    }
  }

  package let algorithm: Algorithm
  /// Token text as in the file: `▁` for space (SentencePiece), the 256-letter byte alphabet (byte-level BPE).
  package let tokens: TokenTable
  /// One per token, or empty where the algorithm needs none.
  package let scores: [Float]
  /// One per token.
  package let types: [TokenType]
  /// `left right` in the order of their ranks; empty for SentencePiece.
  package let merges: TokenTable
  package let roles: TokenRoles

  /// - Parameters:
  ///   - scores: `tokenizer.ggml.scores`; required for SentencePiece, may be empty otherwise.
  ///   - types: raw `tokenizer.ggml.token_type`; empty means that all are normal.
  /// - Throws: ``TokenizerError`` naming the key and the offending value.
  package init(
    algorithm: Algorithm, tokens: TokenTable, scores: [Float] = [], types: [Int32] = [],
    merges: TokenTable = TokenTable(), roles: TokenRoles = TokenRoles()
  ) throws(TokenizerError) {
    let count = tokens.count
    guard (1...Self.maximumTokenCount).contains(count) else { throw .tokenCount(count) }
    guard merges.count <= Self.maximumMergeCount else { throw .mergeCount(merges.count) }
    if !scores.isEmpty || algorithm == .sentencePiece, scores.count != count {
      throw .countMismatch(key: "tokenizer.ggml.scores", expected: count, found: scores.count)
    }
    if let token = scores.firstIndex(where: { !$0.isFinite }) { throw .scoreNotFinite(token: token) }
    if !types.isEmpty, types.count != count {
      throw .countMismatch(key: "tokenizer.ggml.token_type", expected: count, found: types.count)
    }
    let checkedTypes = types.isEmpty ? Array(repeating: .normal, count: count) : try Self.check(types)
    try Self.checkLengths(tokens, checkedTypes)
    try roles.validate(count: count)
    self.algorithm = algorithm
    self.tokens = tokens
    self.scores = scores
    self.types = checkedTypes
    self.merges = merges
    self.roles = roles
  }

  private static func check(_ values: [Int32]) throws(TokenizerError) -> [TokenType] {
    var types: [TokenType] = []
    types.reserveCapacity(values.count)
    for value in values {
      guard let type = TokenType(rawValue: value) else {
        throw .unknownTokenType(token: types.count, value: value)
      }
      types.append(type)
    }
    return types
  }

  private static func checkLengths(_ tokens: TokenTable, _ types: [TokenType]) throws(TokenizerError) {
    try tokens.withView { (tokens) throws(TokenizerError) in
      var literals = 0
      for (token, type) in types.enumerated() {
        let isLiteral = type != .normal && type != .unused
        let limit = isLiteral ? maximumLiteralByteCount : maximumTokenByteCount
        let length = tokens[token].count
        guard length <= limit else { throw .tokenTooLong(token: token, byteCount: length, limit: limit) }
        if isLiteral { literals += length }
      }
      guard literals <= maximumLiteralsByteCount else {
        throw .literalsTooLong(byteCount: literals, limit: maximumLiteralsByteCount)
      }
    }
  }

  /// The tokenizer that this vocabulary describes. A few milliseconds for 50,000 tokens of byte pairs, tens for
  /// SentencePiece, whose library makes tables of its own.
  public func makeTokenizer() throws(TokenizerError) -> any Tokenizer {
    switch algorithm {
    case .sentencePiece: try SentencePieceTokenizer(self)
    case .byteLevelBPE(let preTokenizer): try ByteLevelBPETokenizer(self, preTokenizer: preTokenizer)
    }
  }
}
