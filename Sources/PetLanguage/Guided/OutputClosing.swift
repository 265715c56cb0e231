// SPDX-License-Identifier: Apache-2.0
import PetGrammar

/// When a text that ends with a mark must come to it: a reply that is cut off within its words would have none.
struct OutputClosing: Sendable, Equatable {
  /// Tokens that begin the mark, one bit each.
  private let starts: [UInt64]
  /// Tokens of the space before it, in vocabularies that have none for both.
  private let spaces: [UInt64]
  /// Tokens that end a reply, one bit each: one that comes before the mark asks for it.
  let ends: [UInt64]
  /// The byte that begins the mark, perhaps after a space.
  private let opening: UInt8
  /// Most tokens that the mark takes: none has fewer bytes than one.
  private let reserve: Int

  /// O(bytes of the vocabulary).
  init(_ vocabulary: TokenVocabulary, opening: UInt8, most bytes: Int) {
    self.opening = opening
    reserve = max(1, bytes)
    let none = [UInt64](repeating: 0, count: (vocabulary.count + 63) / 64)
    var (starts, spaces, ends) = (none, none, none)
    for id in 0..<Int32(clamping: vocabulary.count) {
      let (bytes, word, bit) = (vocabulary.bytes(of: id), Int(id) / 64, UInt64(1) << UInt64(id % 64))
      if bytes.drop(while: { $0 == 0x20 }).first == opening { starts[word] |= bit }
      if bytes.elementsEqual(CollectionOfOne(0x20)) { spaces[word] |= bit }
      if vocabulary.endTokens.contains(id) { ends[word] |= bit }
    }
    (self.starts, self.spaces, self.ends) = (starts, spaces, ends)
  }

  /// Of the tokens that may come next, those to the mark; nil where there are none: before the first word, within a character.
  func way(in mask: TokenMask) -> [UInt64]? {
    [starts, spaces].first { way in zip(way, mask.words).contains { $0 & $1 != 0 } }
  }

  enum Due { case no, atSentenceEnd, now }

  /// Whether the mark must come, with `room` tokens left.
  func isDue(room: Int) -> Due {
    // Tokens that only finish a character come before it.
    room <= reserve + 4 ? .now : room <= 2 * reserve ? .atSentenceEnd : .no
  }

  /// Whether the mark has begun with a token.
  func begins(in bytes: some Sequence<UInt8>) -> Bool { bytes.contains(opening) }
}
