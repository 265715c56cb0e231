// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import PetTokenizer

/// Follows a reply through its grammar. Touched only by the worker.
struct GuidedOutput {
  private var matcher: GrammarMatcher
  /// Tokens by which a reply that is still to begin becomes free.
  private var freeStarts: [UInt64]?
  /// Whether the reply is free.
  private(set) var isFree = false
  private let vocabulary: TokenVocabulary
  /// How the text comes to its mark; nil where it has, or where there is none.
  private var closing: OutputClosing?
  private var mustClose = false
  private var endsSentence = false
  /// Whether the text was cut off because no more fits.
  private(set) var isCutOff = false

  init(_ grammar: OutputGrammar) {
    matcher = GrammarMatcher(grammar.compiled)
    freeStarts = grammar.freeStarts
    vocabulary = grammar.compiled.vocabulary
    closing = grammar.closing
  }

  /// Makes what may not come next impossible to draw. O(vocabulary).
  /// - Parameter room: tokens that are left.
  /// - Returns: whether anything may come next.
  mutating func constrain(_ logits: UnsafeMutableBufferPointer<Float>, room: Int) -> Bool {
    if isFree { return true }
    switch closing?.isDue(room: room) {
    case .now where !mustClose: (mustClose, isCutOff) = (true, !endsSentence)
    case .atSentenceEnd where endsSentence: mustClose = true
    default: break
    }
    let mask = matcher.mask
    let way = closing?.way(in: mask)
    let only = mustClose ? way : nil
    let more = freeStarts ?? (mustClose || way == nil ? nil : closing?.ends)
    for (index, allowed) in mask.words.enumerated() {
      let (word, first) = (allowed & (only?[index] ?? .max) | (more?[index] ?? 0), index * 64)
      guard word != .max else { continue }
      for bit in 0..<min(64, logits.count - first) where word >> UInt64(bit) & 1 == 0 {
        logits[first + bit] = -.infinity
      }
    }
    return mask.count > 0 || freeStarts != nil
  }

  /// Whether `token` would end a text that has no mark yet, which then comes next in its place.
  mutating func closes(insteadOf token: Int32) -> Bool {
    guard closing != nil, vocabulary.endTokens.contains(token) else { return false }
    mustClose = true
    return true
  }

  /// Brings the text to its mark; false where it has none, or has begun it.
  mutating func close() -> Bool {
    guard closing != nil else { return false }
    mustClose = true
    return true
  }

  mutating func accept(_ token: Int32) {
    guard !isFree else { return }
    let bytes = vocabulary.bytes(of: token)
    if closing?.begins(in: bytes) == true { closing = nil }
    if let last = bytes.last(where: { $0 != 0x20 }) { endsSentence = ".!?".utf8.contains(last) }
    isFree = !matcher.accept(token) && freeStarts != nil
    freeStarts = nil
  }

  /// Whether nothing can follow.
  var isFinished: Bool { !isFree && matcher.isFinished }

  /// The tokens of what must come next, up to where the model has a choice: of the last it may want a longer one.
  mutating func forced(_ tokenizer: any Tokenizer, most: Int) -> [Int32] {
    guard !isFree else { return [] }
    let bytes = matcher.forcedBytes(limit: 8 * min(most, 64))
    guard bytes.count > 1, let tokens = try? tokenizer.encodeContinuing(bytes) else { return [] }
    var ahead = matcher
    _ = ahead.accept(bytes: bytes)
    var taken: [Int32] = []
    for token in ahead.isFinished ? tokens[...] : tokens.dropLast() {
      guard taken.count < most, matcher.accept(token) else { break }
      taken.append(token)
    }
    return taken
  }
}

extension Tokenizer {
  /// The ids of bytes that go on a text.
  fileprivate func encodeContinuing(_ bytes: [UInt8]) throws(TokenizerError) -> [Int32] {
    var ids: [Int32] = []
    var failure: TokenizerError?
    bytes.withUnsafeBufferPointer { text in
      do throws(TokenizerError) { try encodePlain(text, continuing: true, into: &ids) } catch { failure = error }
    }
    if let failure { throw failure }
    return ids
  }
}
