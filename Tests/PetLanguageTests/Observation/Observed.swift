// SPDX-License-Identifier: Apache-2.0
import CoreMetrics
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import PetLanguage
import Tracing

/// Backends that keep everything that is logged, measured and traced.
struct Observed {
  let log = InMemoryLogHandler()
  let metrics = TestMetrics()
  let tracer = InMemoryTracer()

  /// Runs `body` with a random model of a few kilobytes that tells these backends.
  func run(
    running: Int = 16, waiting: Int = 256, contextLength: Int = 2048,
    _ body: (LanguageModel) async throws -> Void
  ) async throws {
    try await withMetricsFactory(metrics) {
      try await withTracer(tracer) {
        var options = LanguageModel.LoadOptions(threadCount: 1, contextLength: contextLength)
        (options.concurrentReplies, options.waitingRequests) = (running, waiting)
        options.logger = Logger(label: "test") { _ in log }
        options.logger.logLevel = .trace
        try await body(LanguageModel(path: Models.fixture("models/phi3-mha/model.gguf").path, options))
      }
    }
  }

  /// All of it as text.
  var everything: String {
    var lines = log.entries.map { "\($0.level) \($0.message) \($0.metadata) \($0.error.map { "\($0)" } ?? "")" }
    lines += metrics.counters.map { "\($0.label) \($0.dimensions) \($0.values)" }
    lines += metrics.timers.map { "\($0.label) \($0.dimensions)" }
    lines += metrics.recorders.map { "\($0.label) \($0.dimensions)" }
    for span in tracer.finishedSpans {
      lines.append("\(span.operationName) \(span.status.map { "\($0)" } ?? "") \(span.errors) \(span.events)")
      span.attributes.forEach { lines.append("\($0) \($1)") }
    }
    return lines.joined(separator: "\n")
  }

  func counter(_ label: String, _ key: String, _ value: String) -> Int64 {
    metrics.counterTotal(label: label, dimensions: [("model", "model"), (key, value)])
  }
}
