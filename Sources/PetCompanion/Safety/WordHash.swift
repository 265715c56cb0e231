/// How words are named in the file of the danger classifier: FNV-1a, 32 bits.
enum WordHash {
  /// Longer words are judged by so many bytes.
  private static let longest = 24

  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { hash, byte in (hash ^ UInt32(byte)) &* 0x0100_0193 }
  }

  /// Of the runs of 3 to 5 bytes of a word between marks.
  static func grams(_ word: String) -> [UInt32] {
    let marked = [UInt8(ascii: "<")] + word.utf8.prefix(longest) + [UInt8(ascii: ">")]
    let hashes = (3...5).flatMap { size in
      marked.count < size ? [] : (0...(marked.count - size)).map { of(marked[$0..<$0 + size]) }
    }
    return hashes.isEmpty ? [of(marked)] : hashes
  }
}
