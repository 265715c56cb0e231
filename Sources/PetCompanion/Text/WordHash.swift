// SPDX-License-Identifier: Apache-2.0
/// How parts of words are named in the files of a ``WordClassifier`` and of a ``ReplyBank``.
enum WordHash {
  /// Longer words are judged by so many bytes.
  private static let longest = 24

  /// Of the runs of `sizes` bytes of a word between marks, the shortest first.
  static func grams(_ word: some Collection<UInt8>, _ sizes: ClosedRange<Int>) -> [UInt32] {
    let marked = [UInt8(ascii: "<")] + word.prefix(longest) + [UInt8(ascii: ">")]
    let hashes = sizes.flatMap { size in
      marked.count < size ? [] : (0...(marked.count - size)).map { FNV1a.of(marked[$0..<$0 + size]) }
    }
    return hashes.isEmpty ? [FNV1a.of(marked)] : hashes
  }
}
