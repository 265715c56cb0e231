// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetTokenizer

extension LanguageModel {
  /// A text as a direction: the mean of its tokens' hidden states behind the last norm, scaled to length 1. The product of two such
  /// vectors is the cosine of the angle between them.
  ///
  /// A model that was trained to write has not learned to put texts of like meaning side by side: any two texts come out alike,
  /// and length, wording and form weigh as much as meaning. It is a weak measure, good enough to rank a few candidates that differ
  /// plainly; models made for the purpose are far better.
  ///
  /// Computed on a context of its own, which is just as long. The bits do not depend on the number of threads or on what else the
  /// model does. O(tokens) forward passes; cancelling the task ends it at the next batch.
  /// - Parameter text: as it stands, without a chat template.
  /// - Returns: [width]
  /// - Throws: `LanguageModelError.emptyText`, `.tokenizer`; `InferenceError.contextFull` for a text that is longer than the
  ///   context, `.cancelled`, `.notEnoughMemory`; `SamplingError.notANumber` where the model's numbers are none.
  public func embedding(of text: String, adapter: ModelAdapter? = nil) async throws -> [Float] {
    guard !text.isEmpty else { throw LanguageModelError.emptyText }
    try checkLength(ofPrompt: text)
    let tokens = try encoding { () throws(TokenizerError) in try tokenizer.encode(text, addingBoundaries: true) }
    guard !tokens.isEmpty else { throw LanguageModelError.emptyText }
    guard tokens.count <= contextLength else {
      throw InferenceError.contextFull(needed: tokens.count, capacity: contextLength)
    }
    let cache = KVCache(pool, capacity: tokens.count)
    return try await worker.embed(tokens, in: CachedSequence(cache, adapter: adapter?.weights))
  }

  /// Tokens that a text has for ``embedding(of:adapter:)``.
  /// - Throws: `LanguageModelError.tokenizer`.
  package func tokenCount(of text: String) throws -> Int {
    try encoding { () throws(TokenizerError) in try tokenizer.encode(text, addingBoundaries: true) }.count
  }

  /// Those of several texts, in their order, one after the other.
  /// - Throws: as ``embedding(of:adapter:)``, for the first text that is refused.
  public func embeddings(of texts: [String], adapter: ModelAdapter? = nil) async throws -> [[Float]] {
    var vectors: [[Float]] = []
    for text in texts { vectors.append(try await embedding(of: text, adapter: adapter)) }
    return vectors
  }
}
