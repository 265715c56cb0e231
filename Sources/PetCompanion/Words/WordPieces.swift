// SPDX-License-Identifier: Apache-2.0
import PetInference

/// WordPiece (arXiv:1609.08144) over ``FoldedText/words(_:)``: the longest known piece first, "##" before those inside a word. What has no
/// piece is left out, letter by letter. `Training/lib/encoder.py` does the same.
struct WordPieces: Sendable {
  /// Letters of a word that are looked at.
  private static let longest = 24

  /// Of the pieces, in rising order.
  private let hashes: [UInt32]

  /// Nil where the pieces are not in the order of their hashes, FNV-1a. O(bytes).
  init?(_ pieces: GGUFStrings) {
    hashes = (0..<pieces.count).map { FNV1a.of(pieces[$0]) }
    guard zip(hashes, hashes.dropFirst()).allSatisfy(<) else { return nil }
  }

  /// Numbers of the pieces of words. Complexity: for each word the square of its letters.
  func rows(of words: some Sequence<String>) -> [Int] { words.flatMap(rows) }

  func row(_ piece: String) -> Int? { row(FNV1a.of(piece.utf8)) }

  private func rows(of word: String) -> [Int] {
    let letters = Array(word.utf8.prefix(Self.longest))
    var rows: [Int] = []
    var start = 0
    while start < letters.count {
      let marks: [UInt8] = start > 0 ? Array("##".utf8) : []
      let found = stride(from: letters.count, to: start, by: -1).lazy.compactMap { end in
        row(FNV1a.of(marks + letters[start..<end])).map { (row: $0, end: end) }
      }.first
      if let found { rows.append(found.row) }
      start = found?.end ?? start + 1
    }
    return rows
  }

  private func row(_ hash: UInt32) -> Int? {
    var (low, high) = (0, hashes.count)
    while low < high {
      let middle = (low + high) / 2
      if hashes[middle] < hash { low = middle + 1 } else { high = middle }
    }
    return low < hashes.count && hashes[low] == hash ? low : nil
  }
}
