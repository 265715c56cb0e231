// SPDX-License-Identifier: Apache-2.0
/// The merge rules of a byte-pair vocabulary, found by the two tokens that they join.
///
/// The rules stay in the vocabulary's spelling. Built are two arrays of numbers: the result of each rule, and a hash table of
/// ranks. Look-ups are by pairs of tokens, so a rule whose sides are not tokens of the byte alphabet is never found.
struct MergeTable: Sendable {
  /// The result of a merge and its rank.
  struct Match {
    /// Rules of lower rank are applied first. Negative where there is no rule.
    var rank: Int32
    var merged: Int32

    static let none = Match(rank: -1, merged: 0)
  }

  /// `left right`, by rank.
  private let merges: TokenTable
  /// The token that each rule makes, by rank.
  private let merged: [Int32]
  /// Rank + 1 below, the hash's upper bits above; 0 for a free slot.
  private let slots: [UInt32]

  private static let rankBits: UInt32 = 22
  private static let rankMask: UInt32 = 1 << rankBits - 1

  /// - Parameters:
  ///   - merges: at most ``Vocabulary/maximumMergeCount``. Of two rules for one pair the first counts.
  ///   - index: of the tokens in the byte alphabet.
  /// - Throws: ``TokenizerError/malformedMerge(index:)``; ``TokenizerError/mergeOutOfVocabulary(index:)`` for a rule that
  ///   makes no token.
  init(_ merges: TokenTable, tokens: TokenTable, _ index: TokenIndex) throws(TokenizerError) {
    precondition(merges.count < Self.rankMask)
    var merged = [Int32](repeating: -1, count: merges.count)
    var slots = [UInt32](repeating: 0, count: TokenIndex.slotCount(for: merges.count))
    try tokens.withView { (tokens) throws(TokenizerError) in
      try merges.withView { (merges) throws(TokenizerError) in
        try index.hashes.withUnsafeBufferPointer { (hashes) throws(TokenizerError) in
          try slots.withUnsafeMutableBufferPointer { (slots) throws(TokenizerError) in
            try merged.withUnsafeMutableBufferPointer { (merged) throws(TokenizerError) in
              var builder = Builder(merges: merges, tokens: tokens, index: index, hashes: hashes, slots: slots)
              try LookAhead.run(merges.count) { (rank) throws(TokenizerError) in
                let (token, hash) = try builder.read(rank)
                merged[rank] = token
                slots.prefetch(Self.home(of: hash, slots.count))
                return hash
              } finish: { (rank, hash) throws(TokenizerError) in
                builder.add(rank, hash)
              }
            }
          }
        }
      }
    }
    self.merges = merges
    self.merged = merged
    self.slots = slots
  }

  /// Direct access for many look-ups; the view must not leave the closure.
  func withView<Result>(tokens: TokenTable.View, _ index: TokenIndex, _ body: (View) -> Result) -> Result {
    merges.withView { merges in
      merged.withUnsafeBufferPointer { merged in
        slots.withUnsafeBufferPointer { slots in
          index.hashes.withUnsafeBufferPointer { hashes in
            body(
              View(merges: merges, merged: merged, slots: slots, tokens: tokens, hashes: hashes, hash: index.hash))
          }
        }
      }
    }
  }

  struct View {
    fileprivate let merges: TokenTable.View
    fileprivate let merged: UnsafeBufferPointer<Int32>
    fileprivate let slots: UnsafeBufferPointer<UInt32>
    fileprivate let tokens: TokenTable.View
    fileprivate let hashes: UnsafeBufferPointer<UInt32>
    fileprivate let hash: ByteHash

    /// The rule for a pair of tokens of the index.
    @inline(__always)
    func match(_ left: Int32, _ right: Int32) -> Match {
      let hash = hash(hashes[Int(left)], hashes[Int(right)])
      let tag = MergeTable.tag(hash)
      var slot = MergeTable.home(of: hash, slots.count)
      while slots[slot] != 0 {
        let entry = slots[slot]
        let rank = Int(entry & MergeTable.rankMask) - 1
        if entry & ~MergeTable.rankMask == tag, isRule(rank, for: tokens[Int(left)], tokens[Int(right)]) {
          return Match(rank: Int32(rank), merged: merged[rank])
        }
        slot = (slot + 1) & (slots.count - 1)
      }
      return .none
    }

    @inline(__always)
    private func isRule(
      _ rank: Int, for left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
      let merge = merges[rank]
      return merge.count == left.count + 1 + right.count && merge[left.count] == 0x20
        && merge.part(0, left.count).equals(left) && merge.part(left.count + 1, merge.count).equals(right)
    }
  }

  /// Enters the rules in the order of their ranks.
  private struct Builder {
    private let merges: TokenTable.View
    private let tokens: TokenTable.View
    private let index: TokenIndex
    private let hash: ByteHash
    private let hashes: UnsafeBufferPointer<UInt32>
    private let slots: UnsafeMutableBufferPointer<UInt32>
    /// Trained vocabularies list the tokens in the order of the rules that make them: the next rule makes this one.
    private var expected = 0
    private var joined: [UInt8] = []

    init(
      merges: TokenTable.View, tokens: TokenTable.View, index: TokenIndex, hashes: UnsafeBufferPointer<UInt32>,
      slots: UnsafeMutableBufferPointer<UInt32>
    ) {
      self.merges = merges
      self.tokens = tokens
      self.index = index
      hash = index.hash
      self.hashes = hashes
      self.slots = slots
    }

    /// Checks rule `rank`; returns the token that it makes and the hash of its sides.
    @inline(__always)
    mutating func read(_ rank: Int) throws(TokenizerError) -> (token: Int32, hash: UInt64) {
      let merge = merges[rank]
      let space = merge.firstPosition(of: 0x20)
      guard space > 0, space + 1 < merge.count else { throw .malformedMerge(index: rank) }
      let (left, right) = (merge.part(0, space), merge.part(space + 1, merge.count))
      guard let token = token(left, right), right[0] & 0xC0 != 0x80 else {
        throw ByteAlphabet.canSpell(left) && ByteAlphabet.canSpell(right)
          ? .mergeOutOfVocabulary(index: rank) : .malformedMerge(index: rank)
      }
      return (token, hash(TokenIndex.short(hash(left)), TokenIndex.short(hash(right))))
    }

    /// Enters a rule, unless there is one for its pair.
    @inline(__always)
    func add(_ rank: Int, _ hash: UInt64) {
      let tag = MergeTable.tag(hash)
      var slot = MergeTable.home(of: hash, slots.count)
      while slots[slot] != 0 {
        let entry = slots[slot]
        if entry & ~rankMask == tag, merges[Int(entry & rankMask) - 1].equals(merges[rank]) { return }
        slot = (slot + 1) & (slots.count - 1)
      }
      slots[slot] = tag | UInt32(truncatingIfNeeded: rank + 1)
    }

    /// The token of the two sides in a row.
    @inline(__always)
    private mutating func token(
      _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int32? {
      let isNext = expected < tokens.count && hashes[expected] != 0 && tokens[expected].equals(left, right)
      guard isNext || find(left, right) else { return nil }
      expected += 1
      return Int32(truncatingIfNeeded: expected - 1)
    }

    /// Whether there is such a token, which is then expected.
    private mutating func find(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
      joined.removeAll(keepingCapacity: true)
      joined += left
      joined += right
      guard let token = joined.withUnsafeBufferPointer({ index.find($0, in: tokens) }) else { return false }
      expected = Int(token)
      return true
    }
  }

  /// Where the search for a hash begins.
  @inline(__always)
  private static func home(of hash: UInt64, _ slotCount: Int) -> Int { Int(truncatingIfNeeded: hash) & (slotCount - 1) }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & ~rankMask }
}
