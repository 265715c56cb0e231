// SPDX-License-Identifier: Apache-2.0
import PetEngine
import PetEngineTesting
import Synchronization
import Testing

@Suite("A conversation with tools", .timeLimit(.minutes(1)))
struct ToolSessionTests {
  private struct Weather: Tool {
    struct Arguments: Decodable { var city: String }
    let name = "weather"
    let description = "Tells the weather of a city."
    let parameters = GenerationSchema.object(["city": .string().described("its name")])
    var answer: @Sendable (String) async throws -> String = { "rain in \($0)" }

    func call(arguments: Arguments) async throws -> String { try await answer(arguments.city) }
  }

  private struct Broken: Error {}

  private let oslo = ScriptedReply.call("weather", arguments: #"{"city": "Oslo"}"#)

  @Test("the model asks for a tool, reads what it gave, and answers; the person reads the answer only")
  func call() async throws {
    let model = ScriptedModel([oslo, .text("Take an umbrella.")])
    let session = try ToolSession(model: model, tools: [Weather()], instructions: "Be kind.")
    let shown = Mutex("")
    let result = try await session.respond(to: "Oslo?", options: .greedy()) { piece in shown.withLock { $0 += piece } }
    #expect(result.text == "Take an umbrella." && shown.withLock { $0 } == result.text)
    #expect(
      model.requests.map(\.message) == ["Oslo?", #"{"tool_result": "weather", "content": "rain in Oslo"}"#])
    #expect(model.requests[1].transcript.count == 1, "the call is part of the conversation")
    #expect(await session.transcript == [.init(user: "Oslo?", reply: "Take an umbrella.")])
    #expect(result.usage.completionTokens == 5, "two pieces of the call, three words")
    let instructions = try #require(model.requests[0].instructions)
    #expect(instructions.hasPrefix("Be kind.") && instructions.contains("weather: Tells the weather of a city."))
  }

  @Test("what the model gets wrong it is told, and it may mend it")
  func mistakes() async throws {
    let model = ScriptedModel([
      .text(#"{"tool": "weather", "arg"#), .call("wether", arguments: "{}"),
      .call("weather", arguments: #"{"town": "Oslo"}"#), oslo, .text("Rain."),
    ])
    let session = try ToolSession(model: model, tools: [Weather()])
    #expect(try await session.respond(to: "Oslo?", options: .greedy()).text == "Rain.")
    let told = model.requests.map(\.message).dropFirst()
    #expect(told.allSatisfy { $0.hasPrefix(#"{"tool_error": "#) } == false)
    #expect(told.prefix(3).allSatisfy { $0.hasPrefix(#"{"tool_error": "#) })
    #expect(told.dropFirst().first?.contains("there are weather") == true)
    #expect(told.dropFirst(2).first?.contains("arguments.city is missing") == true)
  }

  @Test("a model that asks without end is stopped")
  func endless() async throws {
    let oslo = oslo
    let model = ScriptedModel { _, _ in oslo }
    let session = try ToolSession(model: model, tools: [Weather()], policy: ToolPolicy(maximumCalls: 3))
    await #expect {
      try await session.respond(to: "Oslo?", options: .greedy())
    } throws: {
      if case ToolError.tooManyCalls(3) = $0 { true } else { false }
    }
    #expect(model.requests.count == 4)
    #expect(await session.transcript.isEmpty)
  }

  @Test("what is wrong with a tool is thrown, with what the tool threw")
  func failing() async throws {
    let session = try ToolSession(model: ScriptedModel([oslo]), tools: [Weather { _ in throw Broken() }])
    await #expect {
      try await session.respond(to: "Oslo?", options: .greedy())
    } throws: {
      if case ToolError.failed("weather", is Broken) = $0 { true } else { false }
    }
  }

  @Test("a tool that does not end in time, and does not mind being cancelled, holds nobody up")
  func slow() async throws {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let stuck = Weather { _ in
      // Its own task, so that no cancellation reaches it.
      await Task.detached { for await _ in gate {} }.value
      return ""
    }
    let session = try ToolSession(
      model: ScriptedModel([oslo]), tools: [stuck], policy: ToolPolicy(timeLimit: .seconds(5)), clock: ImmediateClock())
    await #expect {
      try await session.respond(to: "Oslo?", options: .greedy())
    } throws: {
      if case ToolError.timedOut("weather", .seconds(5)) = $0 { true } else { false }
    }
    open.finish()
  }

  @Test("who stops listening stops the tool")
  func cancelled() async throws {
    let (began, begin) = AsyncStream<Void>.makeStream()
    let (ended, end) = AsyncStream<Bool>.makeStream()
    let slow = Weather { _ in
      begin.finish()
      try? await Task.sleep(for: .seconds(600))
      end.yield(Task.isCancelled)
      end.finish()
      return ""
    }
    let session = try ToolSession(model: ScriptedModel([oslo]), tools: [slow], policy: ToolPolicy(timeLimit: nil))
    let task = Task { try await session.respond(to: "Oslo?", options: .greedy()) }
    for await _ in began {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await ended.first { _ in true } == true)
  }

  @Test("two questions at once do not mix their calls")
  func turns() async throws {
    let model = ScriptedModel { request, _ in
      request.message.hasSuffix("?")
        ? .call("weather", arguments: #"{"city": "\#(request.message.dropLast())"}"#) : .text(request.message)
    }
    let session = try ToolSession(model: model, tools: [Weather()])
    async let oslo = session.respond(to: "Oslo?", options: .greedy())
    async let rome = session.respond(to: "Rome?", options: .greedy())
    let texts = try await [oslo.text, rome.text]
    #expect(texts[0].contains("rain in Oslo") && texts[1].contains("rain in Rome"))
    let messages = model.requests.map(\.message)
    #expect(messages.count == 4 && messages[0].hasSuffix("?") && messages[2].hasSuffix("?"))
  }

  @Test("what is to constrain replies gets the schema of the calls for every reply")
  func constraint() async throws {
    let model = ScriptedModel([oslo, .text("Rain.")])
    let session = try ToolSession(model: model, tools: [Weather()]) { options, tools in
      var options = options
      options.stopStrings = [tools.callSchema]
      return options
    }
    _ = try await session.respond(to: "Oslo?", options: .greedy())
    let schema = try ToolRegistry([Weather()]).callSchema
    #expect(model.requests.map(\.options.stopStrings) == [[schema], [schema]])
  }
}
