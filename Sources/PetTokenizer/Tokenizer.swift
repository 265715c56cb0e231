// SPDX-License-Identifier: Apache-2.0
/// Turns text into token ids and back.
///
/// Text is bytes: input need not be UTF-8, and a token may end inside a character.
public protocol Tokenizer: Sendable {
  /// Number of tokens; ids are below it.
  var vocabularySize: Int { get }
  var roles: TokenRoles { get }
  var specialTokens: SpecialTokens { get }

  /// Appends the ids of text without special tokens.
  ///
  /// - Parameter continuing: whether ordinary tokens precede the text; then it gets no space prefix.
  /// - Complexity: O(n log n) in the number of bytes.
  func encodePlain(
    _ text: UnsafeBufferPointer<UInt8>, continuing: Bool, into ids: inout [Int32]
  ) throws(TokenizerError)

  /// Appends the bytes of a token: for a special token its spelling, for an id outside the vocabulary nothing.
  func appendBytes(of id: Int32, to bytes: inout [UInt8])

  /// The first ordinary token that stands for exactly these bytes. O(count).
  func id(ofBytes bytes: [UInt8]) -> Int32?
}

/// Longest text accepted in one call; positions are kept in 32 bits.
let maximumTextByteCount = 1 << 28

extension Tokenizer {
  /// The bytes that a token stands for, see ``appendBytes(of:to:)``.
  public func bytes(of id: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    appendBytes(of: id, to: &bytes)
    return bytes
  }

  /// Encodes text.
  ///
  /// - Parameters:
  ///   - specials: whether text that spells a special token becomes that token.
  ///   - addingBoundaries: whether to add the begin and end of sequence that the model file asks for.
  /// - Throws: ``TokenizerError/textTooLong(byteCount:limit:)``, or what libsentencepiece reports.
  public func encode(
    _ text: [UInt8], specials: SpecialTokenHandling = .asText, addingBoundaries: Bool = false
  ) throws(TokenizerError) -> [Int32] {
    guard text.count <= maximumTextByteCount else {
      throw .textTooLong(byteCount: text.count, limit: maximumTextByteCount)
    }
    var ids: [Int32] = []
    if addingBoundaries, roles.addsBeginOfSequence, let begin = roles.beginOfSequence { ids.append(Int32(begin)) }
    try appendEncoding(of: text, specials: specials, to: &ids)
    if addingBoundaries, roles.addsEndOfSequence, let end = roles.endOfSequence { ids.append(Int32(end)) }
    return ids
  }

  public func encode(
    _ text: String, specials: SpecialTokenHandling = .asText, addingBoundaries: Bool = false
  ) throws(TokenizerError) -> [Int32] {
    try encode(Array(text.utf8), specials: specials, addingBoundaries: addingBoundaries)
  }

  /// Decodes a whole sequence; see `StreamingDetokenizer` for its rules.
  public func decode(_ ids: some Sequence<Int32>, showingSpecials: Bool = false) -> String {
    var detokenizer = StreamingDetokenizer(self, showingSpecials: showingSpecials)
    var text = ""
    for id in ids { text += detokenizer.append(id) }
    return text + detokenizer.flush()
  }

  /// The id of a special token by its spelling.
  public func id(ofSpecial text: String) -> Int32? { specialTokens.id(of: text) }

  /// Tokens that end a reply.
  public var endOfGeneration: Set<Int32> { specialTokens.endOfGeneration }

  func appendEncoding(
    of text: [UInt8], specials: SpecialTokenHandling, continuing: Bool = false, to ids: inout [Int32]
  ) throws(TokenizerError) {
    var failure: TokenizerError?
    text.withUnsafeBufferPointer { text in
      do throws(TokenizerError) {
        try appendEncoding(of: text, specials: specials, continuing: continuing, to: &ids)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Splits the text at special tokens, leftmost and longest first, and encodes what lies between them.
  private func appendEncoding(
    of text: UnsafeBufferPointer<UInt8>, specials: SpecialTokenHandling, continuing: Bool, to ids: inout [Int32]
  ) throws(TokenizerError) {
    let matcher = specialTokens.matcher(for: specials)
    var plainStart = 0
    var position = matcher.isEmpty ? text.count : 0
    while position < text.count {
      guard let match = matcher.longestMatch(in: text, at: position) else {
        position += 1
        continue
      }
      if plainStart < position {
        let plain = UnsafeBufferPointer(rebasing: text[plainStart..<position])
        try encodePlain(plain, continuing: continuing && plainStart == 0, into: &ids)
      }
      ids.append(match.id)
      position += match.length
      if specialTokens.stripsWhitespace(after: match.id) {
        position += UnsafeBufferPointer(rebasing: text[position...]).leadingWhitespaceCount
      }
      plainStart = position
    }
    if plainStart < text.count {
      let plain = UnsafeBufferPointer(rebasing: text[plainStart...])
      try encodePlain(plain, continuing: continuing && plainStart == 0, into: &ids)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Number of bytes of White_Space characters at the start.
  var leadingWhitespaceCount: Int { CharacterReader(self).endOfRun(of: .space, from: 0) }
}
