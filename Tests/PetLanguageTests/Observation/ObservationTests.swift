// SPDX-License-Identifier: Apache-2.0
import InMemoryTracing
import Logging
import PetInference
import PetLanguage
import Testing
import Tracing

@Suite("What a model tells of its work", .timeLimit(.minutes(5)))
struct ObservationTests {
  @Test("a reply is counted, timed and traced with what it took")
  func reply() async throws {
    let observed = Observed()
    var usages: [GenerationResult.Usage] = []
    try await observed.run { model in
      let session = try LanguageModelSession(model: model, instructions: "Be kind.")
      for message in ["one", "two"] {
        usages.append(try await session.respond(to: message, options: .greedy(maximumTokens: 5)).usage)
      }
      usages.append(try await model.complete("Once", .greedy(maximumTokens: 3)).usage)
    }
    #expect(observed.counter("pet_requests_total", "outcome", "length") == 3)
    #expect(observed.counter("pet_tokens_total", "kind", "prompt") == usages.reduce(0) { $0 + Int64($1.promptTokens) })
    #expect(observed.counter("pet_tokens_total", "kind", "cached") == Int64(usages[1].cachedTokens))
    #expect(observed.counter("pet_tokens_total", "kind", "completion") == 13)
    let duration = try observed.metrics.expectTimer("pet_request_duration", [("model", "model")])
    let first = try observed.metrics.expectTimer("pet_time_to_first_token", [("model", "model")])
    #expect(duration.values.count == 3 && first.values.count == 3)
    #expect(zip(duration.values, first.values).allSatisfy { $0 >= $1 && $1 > 0 })

    let spans = observed.tracer.finishedSpans
    #expect(spans.map(\.operationName) == ["pet.respond", "pet.respond", "pet.respond"])
    let second = spans[1].attributes
    #expect(second.get("gen_ai.operation.name") == .string("chat"))
    #expect(second.get("gen_ai.request.model") == .string("model"))
    #expect(second.get("gen_ai.request.max_tokens")?.number == 5)
    #expect(second.get("gen_ai.usage.input_tokens")?.number == usages[1].promptTokens)
    #expect(second.get("gen_ai.usage.output_tokens")?.number == 5)
    #expect(second.get("gen_ai.usage.cache_read.input_tokens")?.number == usages[1].cachedTokens)
    #expect(second.get("gen_ai.response.finish_reasons") == .stringArray(["length"]))
    #expect(spans[2].attributes.get("gen_ai.operation.name") == .string("text_completion"))
    #expect(observed.log.entries.map(\.level) == [.debug, .debug, .debug])
  }

  @Test("a reply belongs to the trace of who asked for it")
  func context() async throws {
    let observed = Observed()
    try await observed.run { model in
      try await withSpan("outer") { _ in
        _ = try await LanguageModelSession(model: model).respond(to: "one", options: .greedy(maximumTokens: 2))
      }
    }
    let spans = observed.tracer.finishedSpans
    let outer = try #require(spans.first { $0.operationName == "outer" })
    let inner = try #require(spans.first { $0.operationName == "pet.respond" })
    #expect(inner.parentSpanID == outer.spanID && inner.traceID == outer.traceID)
  }

  @Test("what is refused, has no place or is cancelled is counted as that")
  func outcomes() async throws {
    let observed = Observed()
    try await observed.run(running: 1, waiting: 1, contextLength: 64) { model in
      let long = String(repeating: "word ", count: 200)
      await #expect(throws: LanguageModelError.self) {
        try await LanguageModelSession(model: model).respond(to: long, options: .greedy())
      }
      await #expect(throws: InferenceError.self) { try await model.complete(long, .greedy()) }
      await #expect(throws: SamplingError.self) {
        try await LanguageModelSession(model: model).respond(to: "one", options: .greedy(maximumTokens: 0))
      }
      // One runs until it is cancelled, one waits, one is too many.
      var endless = GenerationOptions.greedy(maximumTokens: 1_000_000)
      endless.stopsAtEnd = false
      let options = endless
      let tasks = (0..<2).map { _ in Task { try await model.complete("Once", options) } }
      while await model.worker.load != (1, 1) {
        try #require(tasks.allSatisfy { !$0.isCancelled })
        await Task.yield()
      }
      await #expect(throws: LanguageModelError.overloaded(running: 1, waiting: 1)) {
        try await model.complete("Once", options)
      }
      tasks.forEach { $0.cancel() }
      for task in tasks { #expect(try await task.value.finishReason == .cancelled) }
    }
    #expect(observed.counter("pet_requests_total", "outcome", "refused") == 3)
    #expect(observed.counter("pet_requests_total", "outcome", "overloaded") == 1)
    #expect(observed.counter("pet_requests_total", "outcome", "cancelled") == 2)
    for (label, most) in [("pet_requests_running", 1.0), ("pet_requests_waiting", 1.0)] {
      let values = try observed.metrics.expectGauge(label, [("model", "model")]).values
      #expect(values.max() == most && values.last == 0, "\(label)")
    }
    let failed = observed.tracer.finishedSpans.filter { $0.status?.code == .error }
    let errors = failed.map { $0.attributes.get("error.type") }
    #expect(errors == [.string("refused"), .string("refused"), .string("refused"), .string("overloaded")])
  }

  @Test("no word of a conversation is logged, measured or traced, whatever becomes of it")
  func secrets() async throws {
    let secret = "Zanzibar4711"
    let observed = Observed()
    var replies: [String] = []
    try await observed.run(contextLength: 512) { model in
      var options = GenerationOptions.greedy(maximumTokens: 12)
      options.stopStrings = [secret]
      let session = try LanguageModelSession(model: model, instructions: "My name is \(secret).")
      try await session.prewarm()
      replies.append(try await session.respond(to: "I am \(secret).", options: options).text)
      for try await snapshot in session.streamResponse(to: "\(secret)?", options: options) {
        if let result = snapshot.result { replies.append(result.text) }
      }
      replies.append(try await model.complete("\(secret), once", options).text)
      let long = String(repeating: secret, count: 2000)
      await #expect(throws: LanguageModelError.self) { try await session.respond(to: long, options: options) }
      let resumed = try await LanguageModelSession(model: model, resuming: session.state())
      replies.append(try await resumed.respond(to: "And \(secret)?", options: options).text)
    }
    let everything = observed.everything
    #expect(observed.tracer.finishedSpans.count == 5 && everything.contains("pet_requests_total"))
    #expect(everything.contains("request ended") && everything.contains("gen_ai.usage.input_tokens"))
    #expect(!everything.contains(secret) && !everything.contains("Zanzibar"))
    for reply in replies {
      #expect(reply.count > 4)
      #expect(!everything.contains(reply))
    }
  }
}

extension SpanAttribute {
  /// A whole number of whatever width.
  fileprivate var number: Int? {
    switch self {
    case .int32(let value): Int(value)
    case .int64(let value): Int(value)
    default: nil
    }
  }
}
