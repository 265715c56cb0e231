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
    for byte in UInt8.min...UInt8.max {
      withUnsafePointer(to: byte) { pointer in
        byteTokens[Int(byte)] = index.find(UnsafeBufferPointer(start: pointer, count: 1), in: table) ?? -1
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

  public func encodePlain(_ text: UnsafeBufferPointer<UInt8>, into ids: inout [Int32]) throws(TokenizerError) {
    guard text.count <= maximumTextByteCount else {
      throw .textTooLong(byteCount: text.count, limit: maximumTextByteCount)
    }
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
    var decoded: [UInt8] = []
    for token in 0..<vocabulary.tokens.count {
      let spelling = vocabulary.tokens[token]
      decoded.removeAll(keepingCapacity: true)
      isOrdinary[token] = vocabulary.types[token] == .normal && ByteAlphabet.append(spelling, to: &decoded)
      if isOrdinary[token] { builder.append(decoded) } else { builder.append(spelling) }
    }
    let table = try builder.finish()
    var index = TokenIndex(capacity: table.count)
    for token in 0..<table.count where isOrdinary[token] && !table.range(of: token).isEmpty {
      index.insert(token, in: table)
    }
    return (table, index)
  }

  private static func resolveMerges(
    of vocabulary: Vocabulary, table: TokenTable, index: TokenIndex
  ) throws(TokenizerError) -> MergeTable {
    var rules = MergeTable(capacity: vocabulary.merges.count)
    var joined: [UInt8] = []
    for rank in 0..<vocabulary.merges.count {
      let merge = vocabulary.merges[rank]
      guard let space = merge.firstIndex(of: 0x20) else { throw .malformedMerge(index: rank) }
      joined.removeAll(keepingCapacity: true)
      guard ByteAlphabet.append(merge[..<space], to: &joined) else { throw .malformedMerge(index: rank) }
      let leftCount = joined.count
      guard
        ByteAlphabet.append(merge[(space + 1)...], to: &joined), leftCount > 0, joined.count > leftCount
      else { throw .malformedMerge(index: rank) }
      let rule: MergeTable.Rule? = joined.withUnsafeBufferPointer { joined in
        guard
          let left = index.find(UnsafeBufferPointer(rebasing: joined[..<leftCount]), in: table),
          let right = index.find(UnsafeBufferPointer(rebasing: joined[leftCount...]), in: table),
          let merged = index.find(joined, in: table)
        else { return nil }
        return MergeTable.Rule(left: left, right: right, rank: Int32(rank), merged: merged)
      }
      guard let rule else { throw .mergeOutOfVocabulary(index: rank) }
      rules.insert(rule)
    }
    return rules
  }
}
