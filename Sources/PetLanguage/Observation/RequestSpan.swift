// SPDX-License-Identifier: Apache-2.0
import Tracing

/// A request as a span, with the attributes of OpenTelemetry's semantic conventions for generative AI where there is one
/// (`gen_ai.*`). Messages and replies are not among them.
struct RequestSpan {
  enum Operation: String {
    case chat
    case textCompletion = "text_completion"
  }

  private let span: any Span

  var context: ServiceContext { span.context }

  init(_ operation: Operation, model: String, _ options: GenerationOptions) {
    span = InstrumentationSystem.tracer.startSpan("pet.respond")
    guard span.isRecording else { return }
    span.updateAttributes {
      $0["gen_ai.operation.name"] = operation.rawValue
      $0["gen_ai.provider.name"] = "pet"
      $0["gen_ai.request.model"] = model
      $0["gen_ai.request.max_tokens"] = options.maximumTokens
      $0["gen_ai.request.temperature"] = Double(options.sampling.temperature.value)
      $0["pet.request.priority"] = "\(options.priority)"
    }
  }

  func end(_ outcome: RequestOutcome, _ result: GenerationResult?) {
    if span.isRecording {
      span.updateAttributes {
        if outcome.isError { $0["error.type"] = outcome.name }
        guard let result else { return }
        $0["gen_ai.response.finish_reasons"] = [outcome.name]
        $0["gen_ai.usage.input_tokens"] = result.usage.promptTokens
        $0["gen_ai.usage.output_tokens"] = result.usage.completionTokens
        $0["gen_ai.usage.cache_read.input_tokens"] = result.usage.cachedTokens
        $0["pet.usage.dropped_turns"] = result.usage.droppedTurns
        $0["gen_ai.server.time_to_first_token"] = result.timings.timeToFirstToken / .seconds(1)
      }
      // The error itself stays out: an embedder's may hold anything.
      if outcome.isError { span.setStatus(SpanStatus(code: .error)) }
    }
    span.end()
  }
}
