// SPDX-License-Identifier: Apache-2.0
/// How text is cut into words before byte pairs are merged; each is a published regular expression, scanned by hand.
///
/// The raw value is the name in `tokenizer.ggml.pre`.
package enum PreTokenizer: String, Sendable, CaseIterable {
  /// GPT-2's pattern within stretches without digits; every digit is a word.
  case smollm
  /// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
  case gpt2 = "gpt-2"
  /// Llama 3: `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|`
  /// `\s+(?!\S)|\s+`. A word that is a token is that token, whatever the merges say.
  case llamaBPE = "llama-bpe"
  /// As Llama 3, with one number character per word.
  ///
  /// Qwen2's own tokenizer also composes its input (NFC) first; GGUF does not say so, and it is not done here.
  case qwen2

  /// - Throws: ``TokenizerError/unknownPreTokenizer(_:)``.
  package init(name: String) throws(TokenizerError) {
    switch name {
    case "llama3", "llama-v3": self = .llamaBPE
    default:
      guard let known = Self(rawValue: name) else { throw .unknownPreTokenizer(name) }
      self = known
    }
  }

  /// Whether a word found in the vocabulary is not split further.
  var prefersWholeWords: Bool { self == .llamaBPE }

  /// Where the word that starts at `start` ends: past `start`, at most `reader.count`.
  @inline(__always)
  func endOfWord(in reader: CharacterReader, from start: Int) -> Int {
    switch self {
    case .smollm: GPT2Pattern.endOfWord(in: reader, from: start, digitsStandAlone: true)
    case .gpt2: GPT2Pattern.endOfWord(in: reader, from: start, digitsStandAlone: false)
    case .llamaBPE: Llama3Pattern.endOfWord(in: reader, from: start, longestNumber: 3)
    case .qwen2: Llama3Pattern.endOfWord(in: reader, from: start, longestNumber: 1)
    }
  }
}

extension CharacterReader {
  /// End of the run of one kind that `position` is in or before.
  @inline(__always)
  func endOfRun(of kind: CharacterKind, from position: Int) -> Int {
    var position = position
    while position < count {
      let character = character(at: position)
      guard character.kind == kind else { break }
      position += character.length
    }
    return position
  }

  /// `\s+(?!\S)|\s+`: a run of spaces, without its last one where something that is not a space follows and more
  /// than one is there.
  ///
  /// - Parameter endsText: whether a character of this kind, right after the run, counts as the end of the text.
  @inline(__always)
  func endOfSpaces(from start: Int, treatingAsEnd endsText: CharacterKind? = nil) -> Int {
    var position = start
    var last = start
    while position < count {
      let character = character(at: position)
      guard character.kind == .space else {
        return character.kind == endsText || last == start ? position : last
      }
      last = position
      position += character.length
    }
    return position
  }

  /// `'s|'t|'re|'ve|'m|'ll|'d` at an apostrophe: the length of the match or 0.
  @inline(__always)
  func contractionLength(at position: Int, ignoringCase: Bool) -> Int {
    guard position + 1 < count, byte(at: position) == UInt8(ascii: "'") else { return 0 }
    let fold: UInt8 = ignoringCase ? 0x20 : 0
    let first = byte(at: position + 1)
    let second = position + 2 < count ? byte(at: position + 2) : 0
    switch (first | fold, second | fold) {
    case (UInt8(ascii: "s"), _), (UInt8(ascii: "t"), _), (UInt8(ascii: "m"), _), (UInt8(ascii: "d"), _): return 2
    case (UInt8(ascii: "r"), UInt8(ascii: "e")), (UInt8(ascii: "v"), UInt8(ascii: "e")),
      (UInt8(ascii: "l"), UInt8(ascii: "l")):
      return 3
    default: break
    }
    // U+017F, the long s, is an s to a pattern that ignores case.
    if ignoringCase, first == 0xC5, second == 0xBF { return 3 }
    return 0
  }
}
