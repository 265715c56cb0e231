// SPDX-License-Identifier: Apache-2.0
/// What the tokens of a model spell, arranged so that all of them can be tried at once: build it once per model.
///
/// A trie over the bytes of all tokens, in depth-first order: whatever a prefix rules out is one jump. About 12 bytes of
/// memory per distinct prefix, 2 MB for 49,152 tokens.
package final class TokenVocabulary: Sendable {
  /// How many tokens there are; ids are 0..<count.
  package let count: Int
  /// The tokens that end generation.
  package let endTokens: Set<Int32>
  /// The length of the longest token, in bytes.
  package let longestToken: Int

  /// Bytes of all tokens in a row, and where each token's begin, and one end.
  private let bytes: [UInt8]
  private let starts: [UInt32]
  let trie: TokenTrie

  /// - Parameters:
  ///   - tokens: the bytes of each token by id. An empty one is never allowed: give special tokens no bytes.
  ///   - endTokens: tokens that are allowed where the text may end, and nowhere else, whatever their bytes.
  /// - Throws: `TokenVocabularyError`.
  /// - Complexity: O(bytes log tokens); 40 to 47 ms for 49,152 tokens (measured).
  package init(tokens: [[UInt8]], endTokens: Set<Int32>) throws(TokenVocabularyError) {
    guard tokens.count <= 1 << 24 else { throw .tooManyTokens(count: tokens.count) }
    for token in endTokens.sorted() where token < 0 || Int(token) >= tokens.count {
      throw .endTokenOutOfRange(token: token, count: tokens.count)
    }
    var bytes: [UInt8] = []
    var starts: [UInt32] = [0]
    starts.reserveCapacity(tokens.count + 1)
    var longest = 0
    for (id, token) in tokens.enumerated() {
      guard token.count <= Self.maximumLength, bytes.count + token.count <= 1 << 30 else {
        throw .tokenTooLong(token: Int32(id), bytes: token.count)
      }
      if !endTokens.contains(Int32(id)) {
        bytes += token
        longest = max(longest, token.count)
      }
      starts.append(UInt32(bytes.count))
    }
    count = tokens.count
    self.endTokens = endTokens
    longestToken = longest
    self.bytes = bytes
    self.starts = starts
    trie = TokenTrie(bytes: bytes, starts: starts)
  }

  /// As `init(tokens:endTokens:)`, with the bytes of each id from a closure.
  package convenience init(
    count: Int, endTokens: Set<Int32>, bytes: (Int32) -> [UInt8]
  ) throws(TokenVocabularyError) {
    guard count <= 1 << 24 else { throw .tooManyTokens(count: count) }
    try self.init(tokens: (0..<Int32(max(count, 0))).map(bytes), endTokens: endTokens)
  }

  /// Longer tokens are no vocabulary's: the longest of published ones are 256 spaces.
  static let maximumLength = 4096

  /// The bytes of a token; none for end tokens and ids outside the vocabulary.
  package func bytes(of token: Int32) -> ArraySlice<UInt8> {
    guard token >= 0, Int(token) < count else { return [] }
    return bytes[Int(starts[Int(token)])..<Int(starts[Int(token) + 1])]
  }
}

/// Why a vocabulary was refused.
public enum TokenVocabularyError: Error, Equatable, Sendable, CustomStringConvertible {
  case tooManyTokens(count: Int)
  case tokenTooLong(token: Int32, bytes: Int)
  case endTokenOutOfRange(token: Int32, count: Int)

  public var description: String {
    switch self {
    case .tooManyTokens(let count): "\(count) tokens are more than a vocabulary may have"
    case .tokenTooLong(let token, let bytes):
      "token \(token) has \(bytes) bytes; \(TokenVocabulary.maximumLength) is the most"
    case .endTokenOutOfRange(let token, let count): "end token \(token) is outside the vocabulary of \(count)"
    }
  }
}
