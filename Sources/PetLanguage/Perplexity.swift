// SPDX-License-Identifier: Apache-2.0
import Glibc
import PetInference
import PetTokenizer
import Synchronization

/// How well a model foresaw a text: lower is better.
package struct Perplexity: Sendable, Equatable {
  /// exp of the mean surprise of a token, in nats. Compares models of one vocabulary.
  package let perplexity: Double
  /// Surprise per byte of the tokens that were scored. Compares any models.
  package let bitsPerByte: Double
  /// Of the text.
  package let tokens: Int
  package let chunks: Int
  /// Tokens of a chunk.
  package let contextLength: Int
}

extension LanguageModel {
  /// Cuts a text into chunks of `contextLength` tokens and scores the second half of each with the first as its past, as llama.cpp
  /// does it. A rest shorter than a chunk is left out.
  /// - Parameter progress: tokens read so far, and of all.
  /// - Throws: `LanguageModelError.tokenizer`, `.contextTooLong`, `.chunkTooShort`, `.textTooShort`;
  ///   `InferenceError`, `.cancelled` among them; `SamplingError.notANumber`; `CancellationError`.
  package func perplexity(
    of text: [UInt8], contextLength: Int = 512, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
  ) async throws -> Perplexity {
    guard contextLength >= 3 else { throw LanguageModelError.chunkTooShort(tokens: contextLength) }
    guard contextLength <= configuration.contextLength else {
      throw LanguageModelError.contextTooLong(
        path: path, tokens: contextLength, trained: configuration.contextLength)
    }
    let tokens = try encoding { () throws(TokenizerError) in try tokenizer.encode(text, addingBoundaries: true) }
    let chunks = tokens.count / contextLength
    guard chunks > 0 else { throw LanguageModelError.textTooShort(tokens: tokens.count, needed: contextLength) }
    let (first, last) = (contextLength / 2, contextLength - 1)
    let loss = Mutex((nats: 0.0, count: 0))
    var bytes: [UInt8] = []
    for chunk in 0..<chunks {
      try Task.checkCancellation()
      let start = chunk * contextLength
      let truth = Array(tokens[start..<start + contextLength])
      var window = truth
      // Every chunk is a text of its own, so it begins as one.
      if tokenizer.roles.addsBeginOfSequence, let begin = tokenizer.roles.beginOfSequence { window[0] = Int32(begin) }
      for token in truth[(first + 1)...] { tokenizer.appendBytes(of: token, to: &bytes) }
      try await eachLogits(window) { index, logits in
        guard index >= first, index < last else { return }
        let surprise = Self.surprise(logits, truth[index + 1])
        loss.withLock { $0 = ($0.nats + surprise, $0.count + 1) }
        progress(start + index, chunks * contextLength)
      }
    }
    let (nats, count) = loss.withLock { $0 }
    guard nats.isFinite else { throw SamplingError.notANumber }
    return Perplexity(
      perplexity: exp(nats / Double(count)), bitsPerByte: nats / M_LN2 / Double(max(1, bytes.count)),
      tokens: tokens.count, chunks: chunks, contextLength: contextLength)
  }

  /// -log softmax(logits)[token]
  private static func surprise(_ logits: UnsafeBufferPointer<Float>, _ token: Int32) -> Double {
    let peak = logits.reduce(-Float.infinity) { max($0, $1) }
    let sum = logits.reduce(0.0) { $0 + exp(Double($1 - peak)) }
    return log(sum) - Double(logits[Int(token)] - peak)
  }
}
