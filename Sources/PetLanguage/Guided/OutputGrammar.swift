import PetGrammar
import PetTokenizer

/// What replies must look like, ready for one model: made once, used by any number of requests, which share what each works out.
public struct OutputGrammar: Sendable, Equatable {
  let compiled: CompiledGrammar
  /// Tokens that may also come first, one bit each: with one of them the reply is free.
  fileprivate(set) var freeStarts: [UInt64]?

  public static func == (left: Self, right: Self) -> Bool {
    left.compiled === right.compiled && (left.freeStarts == nil) == (right.freeStarts == nil)
  }

  /// The same, of JSON objects, for replies that may also be words: one that begins with a brace keeps to the grammar, any other
  /// is free, but that none begins with a fence of code. O(bytes of the vocabulary).
  package var orText: OutputGrammar {
    var starts = [UInt64](repeating: 0, count: (compiled.vocabulary.count + 63) / 64)
    for id in 0..<Int32(clamping: compiled.vocabulary.count) {
      let visible = compiled.vocabulary.bytes(of: id).drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      let isFree = visible.first.map { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "`") }
      if isFree ?? compiled.vocabulary.endTokens.contains(id) { starts[Int(id) / 64] |= 1 << UInt64(id % 64) }
    }
    var copy = self
    copy.freeStarts = starts
    return copy
  }
}

extension LanguageModel {
  /// A grammar for this model's replies.
  /// - Throws: `TokenVocabularyError` for a vocabulary that no model has.
  /// - Complexity: the first time O(bytes of the vocabulary): tens of milliseconds.
  public func outputGrammar(_ grammar: Grammar) throws(TokenVocabularyError) -> OutputGrammar {
    OutputGrammar(compiled: CompiledGrammar(grammar, vocabulary: try grammarVocabulary()))
  }

  /// The grammar of a JSON schema. Schemas that were asked for lately are ready.
  /// - Throws: `GrammarError` for what cannot be enforced; `TokenVocabularyError`.
  public func outputGrammar(jsonSchema: String) throws -> OutputGrammar {
    if let known = grammars.withLock({ $0.find(jsonSchema) }) { return known }
    let grammar = try outputGrammar(Grammar(jsonSchema: Array(jsonSchema.utf8)))
    grammars.withLock { $0.insert(jsonSchema, grammar) }
    return grammar
  }

  /// - Throws: `LanguageModelError.grammarOfOtherModel`.
  func check(_ options: GenerationOptions) throws(LanguageModelError) {
    guard let grammar = options.grammar else { return }
    guard knownVocabulary.withLock({ $0 === grammar.compiled.vocabulary }) else { throw .grammarOfOtherModel }
  }

  private func grammarVocabulary() throws(TokenVocabularyError) -> TokenVocabulary {
    try knownVocabulary.withLock { known throws(TokenVocabularyError) in
      if let known { return known }
      // What ends a turn is spelled like text, and hidden tokens are never text.
      let vocabulary = try TokenVocabulary(count: tokenizer.vocabularySize, endTokens: endTokens) { id in
        tokenizer.specialTokens.hides(id) ? [] : tokenizer.bytes(of: id)
      }
      known = vocabulary
      return vocabulary
    }
  }
}

/// The grammars of schemas that were asked for lately.
struct KnownGrammars {
  private var entries: [(schema: String, grammar: OutputGrammar)] = []
  /// Each may hold megabytes of masks.
  private static let most = 16

  mutating func find(_ schema: String) -> OutputGrammar? {
    guard let index = entries.firstIndex(where: { $0.schema == schema }) else { return nil }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return entry.grammar
  }

  mutating func insert(_ schema: String, _ grammar: OutputGrammar) {
    entries.removeAll { $0.schema == schema }
    if entries.count == Self.most { entries.removeFirst() }
    entries.append((schema, grammar))
  }
}
