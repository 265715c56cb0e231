// SPDX-License-Identifier: Apache-2.0
/// Byte-pair encoding over the bytes of words (Radford et al. 2019, GPT-2).
///
/// Tokens stay in the vocabulary's memory and spelling; only numeric indices are built.
///
/// A byte for which the vocabulary has no token is left out, as the reference implementations do; SmolLM2's lacks 21,
/// six control characters and bytes that occur in no assigned character. All others come back from decoding.
package struct ByteLevelBPETokenizer: Tokenizer {
  package let roles: TokenRoles
  package let specialTokens: SpecialTokens
  private let preTokenizer: PreTokenizer
  /// As they are spelled: ordinary ones in the byte alphabet.
  private let tokens: TokenTable
  private let types: [TokenType]
  /// Ordinary tokens by their spelling.
  private let index: TokenIndex
  private let merges: MergeTable
  /// The token of each single byte, or -1.
  private let byteTokens: [Int32]

  package var vocabularySize: Int { tokens.count }

  init(_ vocabulary: Vocabulary, preTokenizer: PreTokenizer) throws(TokenizerError) {
    tokens = vocabulary.tokens
    types = vocabulary.types
    index = vocabulary.types.withUnsafeBufferPointer { types in
      TokenIndex(vocabulary.tokens) { id, token in types[id] == .normal && !token.isEmpty }
    }
    merges = try MergeTable(vocabulary.merges, tokens: vocabulary.tokens, index)
    byteTokens = Self.findByteTokens(in: vocabulary.tokens, index)
    self.preTokenizer = preTokenizer
    roles = vocabulary.roles
    specialTokens = SpecialTokens(vocabulary, matchesLiterals: true)
  }

  /// A token that is not ordinary, or not in the byte alphabet, decodes to its spelling.
  package func appendBytes(of id: Int32, to bytes: inout [UInt8]) {
    guard id >= 0, id < tokens.count else { return }
    tokens.withView { tokens in
      let token = tokens[Int(id)]
      if types[Int(id)] == .normal, ByteAlphabet.append(token, to: &bytes) { return }
      bytes += token
    }
  }

  package func id(ofBytes bytes: [UInt8]) -> Int32? {
    var spelled: [UInt8] = []
    return tokens.withView { tokens in bytes.withUnsafeBufferPointer { find($0, in: tokens, &spelled) } }
  }

  package func encodePlain(
    _ text: UnsafeBufferPointer<UInt8>, continuing: Bool, into ids: inout [Int32]
  ) throws(TokenizerError) {
    guard text.count <= maximumTextByteCount else {
      throw .textTooLong(byteCount: text.count, limit: maximumTextByteCount)
    }
    tokens.withView { tokens in
      merges.withView(tokens: tokens, index) { encodeWords(of: text, in: tokens, merges: $0, into: &ids) }
    }
  }

  private func encodeWords(
    of text: UnsafeBufferPointer<UInt8>, in tokens: TokenTable.View, merges: MergeTable.View, into ids: inout [Int32]
  ) {
    let reader = CharacterReader(text)
    var merger = BytePairMerger(rules: merges)
    var symbols: [Int32] = []
    var spelled: [UInt8] = []
    var start = 0
    while start < text.count {
      let end = preTokenizer.endOfWord(in: reader, from: start)
      let word = UnsafeBufferPointer(rebasing: text[start..<end])
      start = end
      if preTokenizer.prefersWholeWords, let whole = find(word, in: tokens, &spelled) {
        ids.append(whole)
        continue
      }
      symbols.removeAll(keepingCapacity: true)
      for byte in word where byteTokens[Int(byte)] >= 0 { symbols.append(byteTokens[Int(byte)]) }
      symbols.withUnsafeBufferPointer { merger.merge($0, into: &ids) }
    }
  }

  /// The ordinary token that stands for these bytes.
  ///
  /// - Parameter spelled: scratch space.
  private func find(
    _ bytes: UnsafeBufferPointer<UInt8>, in tokens: TokenTable.View, _ spelled: inout [UInt8]
  ) -> Int32? {
    // A text longer than the longest token cannot be one.
    guard bytes.count <= Vocabulary.maximumTokenByteCount else { return nil }
    spelled.removeAll(keepingCapacity: true)
    ByteAlphabet.spell(bytes, into: &spelled)
    return spelled.withUnsafeBufferPointer { index.find($0, in: tokens) }
  }
}

// MARK: Construction

extension ByteLevelBPETokenizer {
  private static func findByteTokens(in tokens: TokenTable, _ index: TokenIndex) -> [Int32] {
    var spelled: [UInt8] = []
    return tokens.withView { tokens in
      (UInt8.min...UInt8.max).map { byte in
        spelled.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: byte) { ByteAlphabet.spell($0.assumingMemoryBound(to: UInt8.self), into: &spelled) }
        return spelled.withUnsafeBufferPointer { index.find($0, in: tokens) } ?? -1
      }
    }
  }
}
