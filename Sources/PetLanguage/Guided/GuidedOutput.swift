import PetGrammar
import PetTokenizer

/// Follows a reply through its grammar. Touched only by the worker.
struct GuidedOutput {
  private var matcher: GrammarMatcher
  /// Tokens by which a reply that is still to begin becomes free.
  private var freeStarts: [UInt64]?
  /// Whether the reply is free.
  private(set) var isFree = false

  init(_ grammar: OutputGrammar) {
    matcher = GrammarMatcher(grammar.compiled)
    freeStarts = grammar.freeStarts
  }

  /// Makes what may not come next impossible to draw. O(vocabulary).
  /// - Returns: whether anything may come next.
  func constrain(_ logits: UnsafeMutableBufferPointer<Float>) -> Bool {
    if isFree { return true }
    let mask = matcher.mask
    for (index, allowed) in mask.words.enumerated() {
      let (word, first) = (allowed | (freeStarts?[index] ?? 0), index * 64)
      guard word != .max else { continue }
      for bit in 0..<min(64, logits.count - first) where word >> UInt64(bit) & 1 == 0 {
        logits[first + bit] = -.infinity
      }
    }
    return mask.count > 0 || freeStarts != nil
  }

  mutating func accept(_ token: Int32) {
    guard !isFree else { return }
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
