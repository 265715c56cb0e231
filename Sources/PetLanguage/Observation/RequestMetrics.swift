// SPDX-License-Identifier: Apache-2.0
import CoreMetrics

/// What a model counts and times, for whatever backend the program has bootstrapped before it loads the model. Labels hold the
/// model's name and how a request ended: numbers only come from a conversation, never words.
struct RequestMetrics: Sendable {
  private let model: String
  private let factory: any MetricsFactory
  private let duration: Timer
  private let timeToFirstToken: Timer
  private let promptTokens: Counter
  private let cachedTokens: Counter
  private let completionTokens: Counter
  private let decodeSpeed: Gauge
  private let running: Gauge
  private let waiting: Gauge

  init(model: String, factory: any MetricsFactory = MetricsSystem.factory) {
    func tokens(_ kind: String) -> Counter {
      Counter(label: "pet_tokens_total", dimensions: [("model", model), ("kind", kind)], factory: factory)
    }
    let labels = [("model", model)]
    self.model = model
    self.factory = factory
    duration = Timer(label: "pet_request_duration", dimensions: labels, factory: factory)
    timeToFirstToken = Timer(label: "pet_time_to_first_token", dimensions: labels, factory: factory)
    promptTokens = tokens("prompt")
    cachedTokens = tokens("cached")
    completionTokens = tokens("completion")
    decodeSpeed = Gauge(label: "pet_decode_tokens_per_second", dimensions: labels, factory: factory)
    running = Gauge(label: "pet_requests_running", dimensions: labels, factory: factory)
    waiting = Gauge(label: "pet_requests_waiting", dimensions: labels, factory: factory)
  }

  /// Requests that have a place in steps, and those that wait for one.
  func record(running: Int, waiting: Int) {
    self.running.record(running)
    self.waiting.record(waiting)
  }

  func record(_ outcome: RequestOutcome, _ result: GenerationResult?, after time: Duration) {
    Counter(label: "pet_requests_total", dimensions: [("model", model), ("outcome", outcome.name)], factory: factory)
      .increment()
    duration.recordTime(time)
    guard let result else { return }
    promptTokens.increment(by: result.usage.promptTokens)
    cachedTokens.increment(by: result.usage.cachedTokens)
    completionTokens.increment(by: result.usage.completionTokens)
    if !result.tokens.isEmpty { timeToFirstToken.recordTime(result.timings.timeToFirstToken) }
    if result.timings.decodeTokensPerSecond > 0 { decodeSpeed.record(result.timings.decodeTokensPerSecond) }
  }
}

extension Timer {
  fileprivate func recordTime(_ time: Duration) {
    recordNanoseconds(Int64(exactly: (time / .nanoseconds(1)).rounded()) ?? .max)
  }
}
