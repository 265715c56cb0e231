// SPDX-License-Identifier: Apache-2.0
import PetTokenizer

/// Puts a reply together from its tokens: characters, stop strings, the end.
struct ReplyBuilder {
  var result = GenerationResult(text: "", tokens: [], finishReason: .stop, usage: .init(), timings: .init())
  private let maximumTokens: Int
  private let stopsAtLoop: Bool
  private let endTokens: Set<Int32>
  private var detokenizer: StreamingDetokenizer
  private var stops: StopStringFilter

  init(_ tokenizer: any Tokenizer, _ options: GenerationOptions, endTokens: Set<Int32>, continuesText: Bool) {
    maximumTokens = options.maximumTokens
    stopsAtLoop = options.stopsAtLoop
    self.endTokens = endTokens
    // A reply is a text of its own; a continuation keeps the space that parts it from what it continues.
    detokenizer = StreamingDetokenizer(tokenizer, strippingLeadingSpace: continuesText ? false : nil)
    stops = StopStringFilter(options.stopStrings)
  }

  /// Takes a token; returns why the reply ends with it, or nil.
  mutating func append(
    _ token: Int32, _ emit: (String) -> Void
  ) -> GenerationResult.FinishReason? {
    result.tokens.append(token)
    if endTokens.contains(token) { return .stop }
    show(stops.append(detokenizer.append(token)), emit)
    if stops.isStopped { return .stop }
    if stopsAtLoop, LoopDetector.isLooping(result.tokens) { return .loop }
    return result.tokens.count >= maximumTokens ? .length : nil
  }

  mutating func finish(
    _ reason: GenerationResult.FinishReason, _ emit: (String) -> Void
  ) -> GenerationResult {
    if !stops.isStopped {
      show(stops.append(detokenizer.flush()), emit)
      show(stops.flush(), emit)
    }
    let endsAtStop = stops.isStopped && (reason == .length || reason == .context)
    result.finishReason = endsAtStop ? .stop : reason
    result.usage.completionTokens = result.tokens.count
    return result
  }

  private mutating func show(_ text: String, _ emit: (String) -> Void) {
    guard !text.isEmpty else { return }
    result.text += text
    emit(text)
  }
}
