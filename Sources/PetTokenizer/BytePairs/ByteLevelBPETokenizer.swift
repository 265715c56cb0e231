/// Byte-pair encoding over the bytes of words (Radford et al. 2019, GPT-2).
///
/// A byte for which the vocabulary has no token is left out, as the reference implementations do; SmolLM2's lacks 21,
/// six control characters and bytes that occur in no assigned character. All others come back from decoding.
public struct ByteLevelBPETokenizer: Tokenizer {
  public let roles: TokenRoles
  public let specialTokens: SpecialTokens
  private let preTokenizer: PreTokenizer
  /// What each token stands for.
  private let table: TokenTable
  /// Ordinary tokens by their bytes.
  private let index: TokenIndex
  private let rules: MergeTable
  /// The token of each single byte, or -1.
  private let byteTokens: [Int32]

  public var vocabularySize: Int { table.count }

  init(_ vocabulary: Vocabulary, preTokenizer: PreTokenizer) throws(TokenizerError) {
    let (table, index) = try Self.decodeTokens(of: vocabulary)
    rules = try Self.resolveMerges(of: vocabulary, table: table, index: index)
    var byteTokens = [Int32](repeating: -1, count: 256)
    let allBytes = Array(UInt8.min...UInt8.max)
    table.withView { view in
      allBytes.withUnsafeBufferPointer { bytes in
        for byte in bytes.indices {
          byteTokens[byte] = index.find(UnsafeBufferPointer(rebasing: bytes[byte...byte]), in: view) ?? -1
        }
      }
    }
    self.table = table
    self.index = index
    self.byteTokens = byteTokens
    self.preTokenizer = preTokenizer
    roles = vocabulary.roles
    specialTokens = SpecialTokens(vocabulary, matchesLiterals: true)
  }

  public func bytes(of id: Int32) -> ArraySlice<UInt8> {
    id >= 0 && id < table.count ? table[Int(id)] : []
  }

  public func encodePlain(
    _ text: UnsafeBufferPointer<UInt8>, continuing: Bool, into ids: inout [Int32]
  ) throws(TokenizerError) {
    guard text.count <= maximumTextByteCount else {
      throw .textTooLong(byteCount: text.count, limit: maximumTextByteCount)
    }
    table.withView { encodeWords(of: text, in: $0, into: &ids) }
  }

  private func encodeWords(
    of text: UnsafeBufferPointer<UInt8>, in table: TokenTable.View, into ids: inout [Int32]
  ) {
    let reader = CharacterReader(text)
    var merger = BytePairMerger(rules: rules)
    var symbols: [Int32] = []
    var start = 0
    while start < text.count {
      let end = preTokenizer.endOfWord(in: reader, from: start)
      let word = UnsafeBufferPointer(rebasing: text[start..<end])
      start = end
      if preTokenizer.prefersWholeWords, let whole = index.find(word, in: table) {
        ids.append(whole)
        continue
      }
      symbols.removeAll(keepingCapacity: true)
      for byte in word where byteTokens[Int(byte)] >= 0 { symbols.append(byteTokens[Int(byte)]) }
      symbols.withUnsafeBufferPointer { merger.merge($0, into: &ids) }
    }
  }

  // MARK: Construction

  /// Ordinary tokens become bytes and are indexed; all others are kept as they are spelled.
  private static func decodeTokens(of vocabulary: Vocabulary) throws(TokenizerError) -> (TokenTable, TokenIndex) {
    var builder = TokenTableBuilder()
    builder.reserve(entries: vocabulary.tokens.count, bytes: vocabulary.tokens.bytes.count)
    var isOrdinary = [Bool](repeating: false, count: vocabulary.tokens.count)
    vocabulary.tokens.withView { tokens in
      var decoded: [UInt8] = []
      for token in 0..<tokens.count {
        decoded.removeAll(keepingCapacity: true)
        isOrdinary[token] = vocabulary.types[token] == .normal && ByteAlphabet.append(tokens[token], to: &decoded)
        if isOrdinary[token] { builder.append(decoded) } else { builder.append(tokens[token]) }
      }
    }
    let table = try builder.finish()
    var index = TokenIndex(capacity: table.count)
    table.withView { tokens in
      for token in 0..<tokens.count where isOrdinary[token] && !tokens[token].isEmpty {
        index.insert(token, in: tokens)
      }
    }
    return (table, index)
  }

  private static func resolveMerges(
    of vocabulary: Vocabulary, table: TokenTable, index: TokenIndex
  ) throws(TokenizerError) -> MergeTable {
    var rules = MergeTable(capacity: vocabulary.merges.count)
    var failure: TokenizerError?
    table.withView { tokens in
      vocabulary.merges.withView { merges in
        var joined: [UInt8] = []
        for rank in 0..<merges.count {
          do throws(TokenizerError) {
            try rules.insert(rule(merges[rank], rank: rank, tokens: tokens, index: index, joined: &joined))
          } catch {
            failure = error
            return
          }
        }
      }
    }
    if let failure { throw failure }
    return rules
  }

  /// - Parameter joined: scratch space.
  private static func rule(
    _ merge: UnsafeBufferPointer<UInt8>, rank: Int, tokens: TokenTable.View, index: TokenIndex, joined: inout [UInt8]
  ) throws(TokenizerError) -> MergeTable.Rule {
    joined.removeAll(keepingCapacity: true)
    guard
      let space = merge.firstIndex(of: 0x20), space > 0, space + 1 < merge.count,
      ByteAlphabet.append(UnsafeBufferPointer(rebasing: merge[..<space]), to: &joined)
    else { throw .malformedMerge(index: rank) }
    let leftCount = joined.count
    guard ByteAlphabet.append(UnsafeBufferPointer(rebasing: merge[(space + 1)...]), to: &joined) else {
      throw .malformedMerge(index: rank)
    }
    let ids = joined.withUnsafeBufferPointer { joined in
      (
        left: index.find(UnsafeBufferPointer(rebasing: joined[..<leftCount]), in: tokens),
        right: index.find(UnsafeBufferPointer(rebasing: joined[leftCount...]), in: tokens),
        merged: index.find(joined, in: tokens)
      )
    }
    guard let left = ids.left, let right = ids.right, let merged = ids.merged else {
      throw .mergeOutOfVocabulary(index: rank)
    }
    return MergeTable.Rule(left: left, right: right, rank: Int32(rank), merged: merged)
  }
}
