// SPDX-License-Identifier: Apache-2.0
/// How parts of words are named in the file of a ``WordClassifier``.
enum WordHash {
  /// Longer words are judged by so many bytes.
  private static let longest = 24

  /// Of the runs of 3 to 5 bytes of a word between marks.
  static func grams(_ word: String) -> [UInt32] {
    let marked = [UInt8(ascii: "<")] + word.utf8.prefix(longest) + [UInt8(ascii: ">")]
    let hashes = (3...5).flatMap { size in
      marked.count < size ? [] : (0...(marked.count - size)).map { FNV1a.of(marked[$0..<$0 + size]) }
    }
    return hashes.isEmpty ? [FNV1a.of(marked)] : hashes
  }
}
