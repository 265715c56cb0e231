// SPDX-License-Identifier: Apache-2.0
import Logging
import Tracing

extension LanguageModel {
  /// Runs a request and tells log, metrics and trace what it took and how it ended, in numbers and fixed words.
  func observing(
    _ operation: RequestSpan.Operation, _ options: GenerationOptions, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> GenerationResult
  ) async throws -> GenerationResult {
    let start = ContinuousClock.now
    observer?.began()
    let span = RequestSpan(operation, model: name, options)
    func tell(_ outcome: RequestOutcome, _ result: GenerationResult?) {
      let time = start.duration(to: .now)
      span.end(outcome, result)
      metrics.record(outcome, result, after: time)
      observer?.ended(result.map { facts(of: $0, after: time) })
      logger.debug(
        "request ended",
        metadata: [
          "model": "\(name)", "outcome": "\(outcome.name)", "milliseconds": "\(Int64(time / .milliseconds(1)))",
          "prompt_tokens": "\(result?.usage.promptTokens ?? 0)",
          "cached_tokens": "\(result?.usage.cachedTokens ?? 0)",
          "completion_tokens": "\(result?.usage.completionTokens ?? 0)",
        ])
    }
    do {
      let result = try await ServiceContext.withValue(span.context) { try await body() }
      tell(RequestOutcome(result.finishReason), result)
      return result
    } catch {
      tell(RequestOutcome(error), nil)
      throw error
    }
  }

  private func facts(of result: GenerationResult, after time: Duration) -> RequestObserver.Facts {
    let first = result.timings.timeToFirstToken
    return RequestObserver.Facts(
      latency: first > .zero ? first : time, duration: time,
      memory: UInt64(clamping: weightBytes) &+ UInt64(clamping: cacheByteCount))
  }
}
