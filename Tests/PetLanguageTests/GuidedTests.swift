// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetGrammar
import PetInference
import PetLanguage
import Testing

/// Models that talk nonsense show it best: what they write is well-formed because nothing else can be drawn.
@Suite("Output that is held to a form", .timeLimit(.minutes(5)))
struct GuidedTests {
  private struct Walk: Generable, Equatable {
    enum Weather: String, Decodable { case sun, rain, snow }
    struct Place: Decodable, Equatable {
      let name: String
      let distance: Double?
    }

    let weather: Weather
    let minutes: Int
    let isFar: Bool
    let places: [Place]

    static let schema = GenerationSchema.object([
      "weather": .choice(["sun", "rain", "snow"]), "minutes": .integer(in: 5...90), "isFar": .boolean,
      "places": .array(
        of: .object(["name": .string(maximumLength: 12), "distance": .number(in: 0...10).optional]), count: 1...3),
    ])
  }

  private func options(_ seed: Int, _ tokens: Int = 200) throws -> GenerationOptions {
    try GenerationOptions(
      sampling: .init(temperature: seed % 3 == 0 ? 0 : 1, topK: 0, topP: 1, minP: 0, seed: UInt64(seed)),
      maximumTokens: tokens)
  }

  @Test("a value of a Swift type, whatever the model would say", arguments: ["phi3-mha", "llama-gqa", "nano"])
  func values(_ name: String) async throws {
    let model = try name == "nano" ? Models.Reference.nano.load() : Models.small(name)
    for seed in 0..<12 {
      let session = try LanguageModelSession(model: model, instructions: "Be kind.")
      let walk = try await session.respond(to: "Where shall we go?", generating: Walk.self, options: options(seed))
      #expect((5...90).contains(walk.value.minutes) && (1...3).contains(walk.value.places.count))
      for place in walk.value.places {
        #expect(place.name.unicodeScalars.count <= 12 && (0...10).contains(place.distance ?? 0))
      }
      #expect(walk.result.finishReason == .stop)
      #expect(await session.transcript.last?.reply == walk.result.text)
      // A turn like others: the conversation goes on behind it.
      #expect(try await session.respond(to: "And now?", options: options(seed, 4)).usage.cachedTokens > 0)
    }
  }

  @Test("what the grammar leaves no choice about costs no pass of its own")
  func forced() async throws {
    let model = try Models.Reference.nano.load()
    let key = String(repeating: "a_long_name_", count: 6)
    var options = try options(0)
    options.grammar = try model.outputGrammar(
      jsonSchema: #"{"type":"object","properties":{"\#(key)":{"type":"boolean"}},"required":["\#(key)"]}"#)
    let before = await model.worker.passes
    let result = try await model.complete("Once", options)
    #expect(await model.worker.passes - before < 8)
    #expect([#"{"\#(key)":true}"#, #"{"\#(key)":false}"#].contains(result.text))
    #expect(result.tokens.count > 20)
    #expect(result.timings.timeToFirstToken > .zero)
    #expect(result.finishReason == .stop)
    // A value whose last tokens are forced is whole also where there was room for no more.
    options.grammar = try model.outputGrammar(
      jsonSchema:
        #"{"type":"object","properties":{"a":{"type":"boolean"},"\#(key)":{"const":1}},"required":["a","\#(key)"]}"#)
    let free = try await model.complete("Once", options)
    options.maximumTokens = free.tokens.count
    let exact = try await model.complete("Once", options)
    #expect(exact.tokens == free.tokens && exact.finishReason == .stop)
    options.maximumTokens -= 1
    #expect(try await model.complete("Once", options).finishReason == .length)
  }

  @Test("alone, together and again the same is written")
  func together() async throws {
    let model = try Models.small(threads: 2)
    let grammar = try model.outputGrammar(Grammar(gbnf: #"root ::= "yes" | "no" | [a-z]{3,40} ", " root"#))
    func reply(_ seed: Int) async throws -> [Int32] {
      var options = try options(seed, 60)
      if seed % 2 == 0 { options.grammar = grammar }
      return try await model.complete("Is it \(seed)?", options).tokens
    }
    var alone: [[Int32]] = []
    for seed in 0..<16 { alone.append(try await reply(seed)) }
    let together = try await withThrowingTaskGroup(of: (Int, [Int32]).self) { group in
      for seed in 0..<16 { group.addTask { (seed, try await reply(seed)) } }
      return try await group.reduce(into: [Int: [Int32]]()) { $0[$1.0] = $1.1 }
    }
    for seed in 0..<16 { #expect(together[seed] == alone[seed], "seed \(seed)") }
  }

  @Test("options that would cut a value do not count, one that is cancelled is no error of the type")
  func wholeValues() async throws {
    let model = try Models.small()
    let session = try LanguageModelSession(model: model)
    var options = try options(1, 400)
    options.stopStrings = ["\""]
    _ = try await session.respond(to: "Where?", generating: Walk.self, options: options)
    let stopped = options
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.respond(to: "Where?", generating: Walk.self, options: stopped).value
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a grammar of the options counts where there are no tools")
  func grammarWithoutTools() async throws {
    let model = try Models.small()
    var options = try options(1)
    options.grammar = try model.outputGrammar(jsonSchema: #"{"type":"boolean"}"#)
    let text = try await ToolSession(model: model, tools: []).respond(to: "Is it?", options: options).text
    #expect(["true", "false"].contains(text))
  }

  @Test("a reply that ends too early is no value, and says so; what cannot be enforced is refused")
  func errors() async throws {
    let model = try Models.small()
    let session = try LanguageModelSession(model: model)
    await #expect(throws: LanguageModelError.incompleteValue(type: "Walk", reason: .length)) {
      try await session.respond(to: "Where?", generating: Walk.self, options: options(1, 5))
    }
    #expect(throws: GrammarError.self) { try model.outputGrammar(jsonSchema: #"{"type":"objekt"}"#) }
    #expect(throws: GrammarError.self) { try model.outputGrammar(jsonSchema: #"{"not":{}}"#) }
    var foreign = try options(0)
    foreign.grammar = try Models.small("llama-tied").outputGrammar(jsonSchema: #"{"type":"boolean"}"#)
    await #expect(throws: LanguageModelError.grammarOfOtherModel) {
      try await model.complete("Once", foreign)
    }
    await #expect(throws: LanguageModelError.grammarOfOtherModel) {
      try await session.respond(to: "Once", options: foreign)
    }
    let schema = #"{"type":"integer"}"#
    #expect(try model.outputGrammar(jsonSchema: schema) == model.outputGrammar(jsonSchema: schema))
    #expect(try model.outputGrammar(jsonSchema: schema) != model.outputGrammar(jsonSchema: #"{"type":"string"}"#))
  }

  @Test(
    "a text comes to its mark in time: cut off, in a loop, or where the model would end",
    arguments: ["phi3-mha", "llama-gqa", "nano"])
  func closing(_ name: String) async throws {
    let model = try name == "nano" ? Models.Reference.nano.load() : Models.small(name)
    let gbnf = #"root ::= " "? [^ {}] [^{}]* " {" ("happy" | "sad") "}""#
    let grammar = try model.outputGrammar(gbnf: gbnf).closing(with: UInt8(ascii: "{"), within: " {happy}".utf8.count)
    var reasons: Set<GenerationResult.FinishReason> = []
    for seed in 0..<60 {
      var options = try options(seed, 24 + seed)
      options.stopsAtLoop = true
      options.grammar = grammar
      let result = try await model.complete("Once upon a time", options)
      reasons.insert(result.finishReason)
      let text = result.text
      #expect(text.hasSuffix(" {happy}") || text.hasSuffix(" {sad}"), "seed \(seed): \(text)")
      #expect(text.count { $0 == "{" } == 1 && text.drop { $0 == " " }.first != "{")
      #expect(result.tokens.count <= options.maximumTokens)
    }
    #expect(reasons.isSubset(of: [.stop, .length, .loop]) && reasons.contains(.length))
    #expect(try model.outputGrammar(gbnf: gbnf) != grammar)
  }

  @Test("words are free, and what begins with a brace keeps to the grammar")
  func orText() async throws {
    let model = try Models.small()
    let grammar = try model.outputGrammar(
      jsonSchema: #"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"]}"#)
    var kinds: Set<Bool> = []
    for seed in 0..<400 {
      var options = try GenerationOptions(
        sampling: .init(temperature: 4, topK: 0, topP: 1, minP: 0, seed: UInt64(seed)), maximumTokens: 12)
      options.grammar = grammar.orText
      let text = try await model.complete("Once", options).text
      let isCall = text.drop { $0.isWhitespace }.hasPrefix("{")
      kinds.insert(isCall)
      if isCall { #expect([#"{"a":true}"#, #"{"a":false}"#].contains(text), "\(text)") }
    }
    #expect(kinds == [true, false])
    #expect(grammar != grammar.orText && grammar.orText == grammar.orText)
  }

  private struct Clock: Tool {
    struct Arguments: Decodable { let zone: String }
    let name = "clock"
    let description = "Tells the time."
    let parameters = GenerationSchema.object(["zone": .choice(["here", "there"])])
    func call(arguments: Arguments) async throws -> String { "12:00 \(arguments.zone)" }
  }

  @Test("a model with tools writes words or calls that can be made, whatever it is")
  func tools() async throws {
    let model = try Models.Reference.nano.load()
    var answers = 0
    for seed in 0..<12 {
      let session = try ToolSession(model: model, tools: [Clock()])
      do {
        let answer = try await session.respond(to: "What is the time?", options: options(seed, 24))
        #expect(ToolReply(answer.text) == .text)
        answers += 1
      } catch let error as ToolError {
        guard case .tooManyCalls(4) = error else { throw error }
      }
    }
    #expect(answers > 0)
    #expect(throws: GrammarError.self) {
      struct Odd: Tool {
        typealias Arguments = Clock.Arguments
        let name = "odd"
        let description = "Does nothing."
        let parameters = GenerationSchema(json: #"{"not":{}}"#)
        func call(arguments: Arguments) async throws -> String { "" }
      }
      return try ToolSession(model: Models.small(), tools: [Odd()])
    }
  }

  @Test("a schema is what the builder says")
  func schema() {
    #expect(
      GenerationSchema.object(["a\"b": .integer(in: 0...3), "c": .array(of: .boolean, count: 1...2).optional]).json
        == #"{"type":"object","properties":{"a\"b":{"type":"integer","minimum":0,"maximum":3},"#
        + #""c":{"type":"array","items":{"type":"boolean"},"minItems":1,"maxItems":2}},"#
        + #""required":["a\"b"],"additionalProperties":false}"#)
    #expect(GenerationSchema.choice(["x"]).json == #"{"enum":["x"]}"#)
    #expect(GenerationSchema.string(pattern: "a\\d").json == #"{"type":"string","pattern":"a\\d"}"#)
  }
}
