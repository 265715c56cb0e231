// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import PetTokenizer

/// What replies must look like, ready for one model: made once, used by any number of requests, which share what each works out.
public struct OutputGrammar: Sendable, Equatable {
  let compiled: CompiledGrammar
  /// Tokens that may also come first, one bit each: with one of them the reply is free.
  fileprivate(set) var freeStarts: [UInt64]?
  /// How a text that the grammar ends with a mark comes to it in time.
  fileprivate(set) var closing: OutputClosing?

  /// Whether a reply may be words that it does not hold.
  package var mayBeText: Bool { freeStarts != nil }

  public static func == (left: Self, right: Self) -> Bool {
    left.compiled === right.compiled && (left.freeStarts == nil) == (right.freeStarts == nil)
      && left.closing == right.closing
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

extension OutputGrammar {
  /// The same, of a text that ends with a mark, for replies that are whole even when they are stopped: where few tokens are left,
  /// where the model would end without the mark or repeats itself, the mark comes next.
  /// - Parameters:
  ///   - opening: the byte that begins the mark, perhaps after a space, and is nowhere in the text.
  ///   - bytes: the most that a mark takes.
  /// - Complexity: O(bytes of the vocabulary).
  package func closing(with opening: UInt8, within bytes: Int) -> OutputGrammar {
    var copy = self
    copy.closing = OutputClosing(compiled.vocabulary, opening: opening, most: bytes)
    return copy
  }
}

extension LanguageModel {
  /// A grammar for this model's replies.
  /// - Throws: `TokenVocabularyError` for a vocabulary that no model has.
  /// - Complexity: the first time O(bytes of the vocabulary): tens of milliseconds.
  package func outputGrammar(_ grammar: Grammar) throws(TokenVocabularyError) -> OutputGrammar {
    OutputGrammar(compiled: CompiledGrammar(grammar, vocabulary: try grammarVocabulary()))
  }

  /// The grammar of a JSON schema (draft 2020-12). Schemas that were asked for lately are ready.
  ///
  /// Enforced: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`, `minItems`,
  /// `maxItems`, `minLength`, `maxLength`, `pattern`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `allOf`,
  /// `anyOf`, `oneOf` of alternatives that exclude each other, `$ref` within the document, `$defs`, and `format` for `date`,
  /// `time`, `date-time` and `uuid`. Other formats and annotations are ignored. An object has its properties in the schema's order.
  /// - Throws: `GrammarError` for any other keyword, and for a schema that is too large; `TokenVocabularyError`.
  public func outputGrammar(jsonSchema: String) throws -> OutputGrammar {
    try outputGrammar(jsonSchema: jsonSchema, bracesInTexts: true)
  }

  /// - Parameter bracesInTexts: as of `JSONSchemaOptions`.
  package func outputGrammar(jsonSchema: String, bracesInTexts: Bool) throws -> OutputGrammar {
    // No schema begins with a control character.
    let name = bracesInTexts ? jsonSchema : "\u{0}\(jsonSchema)"
    if let known = grammars.withLock({ $0.find(name) }) { return known }
    var options = JSONSchemaOptions()
    options.bracesInTexts = bracesInTexts
    let grammar = try outputGrammar(Grammar(jsonSchema: Array(jsonSchema.utf8), options: options))
    grammars.withLock { $0.insert(name, grammar) }
    return grammar
  }

  /// A grammar in llama.cpp's notation. Those that were asked for lately are ready.
  /// - Throws: `GrammarError`, `TokenVocabularyError`.
  public func outputGrammar(gbnf: String) throws -> OutputGrammar {
    if let known = grammars.withLock({ $0.find(gbnf) }) { return known }
    let grammar = try outputGrammar(Grammar(gbnf: gbnf))
    grammars.withLock { $0.insert(gbnf, grammar) }
    return grammar
  }

  /// The same, of texts that come to their mark in time (``OutputGrammar/closing(with:within:)``).
  package func outputGrammar(gbnf: String, closing opening: UInt8, within bytes: Int) throws -> OutputGrammar {
    let name = "\(opening) \(bytes)\n\(gbnf)"
    if let known = grammars.withLock({ $0.find(name) }) { return known }
    let grammar = try outputGrammar(gbnf: gbnf).closing(with: opening, within: bytes)
    grammars.withLock { $0.insert(name, grammar) }
    return grammar
  }

  /// - Throws: `SamplingError.outOfRange`, `.countOutOfRange`; `LanguageModelError.grammarOfOtherModel`.
  package func check(_ options: GenerationOptions) throws {
    try options.check()
    guard let grammar = options.grammar else { return }
    guard knownVocabulary.withLock({ $0 === grammar.compiled.vocabulary }) else {
      throw LanguageModelError.grammarOfOtherModel
    }
  }

  private func grammarVocabulary() throws(TokenVocabularyError) -> TokenVocabulary {
    try knownVocabulary.withLock { known throws(TokenVocabularyError) in
      if let known { return known }
      // What ends a turn is spelled like text; hidden tokens and flags are never text.
      let unwritable = Set(unwritableTokens)
      let vocabulary = try TokenVocabulary(count: tokenizer.vocabularySize, endTokens: endTokens) { id in
        tokenizer.specialTokens.hides(id) || unwritable.contains(id) ? [] : tokenizer.bytes(of: id)
      }
      known = vocabulary
      return vocabulary
    }
  }
}

/// The grammars that were asked for lately, by their texts.
struct KnownGrammars {
  private var entries: [(text: String, grammar: OutputGrammar)] = []
  /// Each may hold megabytes of masks.
  private static let most = 16

  mutating func find(_ text: String) -> OutputGrammar? {
    guard let index = entries.firstIndex(where: { $0.text == text }) else { return nil }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return entry.grammar
  }

  mutating func insert(_ text: String, _ grammar: OutputGrammar) {
    entries.removeAll { $0.text == text }
    if entries.count == Self.most { entries.removeFirst() }
    entries.append((text, grammar))
  }
}
