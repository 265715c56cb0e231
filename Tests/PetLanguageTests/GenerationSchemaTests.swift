// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetLanguage
import Testing

@Suite("The schema of what a type decodes")
struct GenerationSchemaTests {
  private struct Walk: Decodable {
    enum Weather: String, Decodable, CaseIterable {
      case sun
      case rain = "wet"
    }
    enum Effort: Int, Decodable, CaseIterable { case low = 1, high }
    struct Place: Decodable {
      let name: String
      let distance: Double?
    }
    struct Limit: Generable {
      let minutes: Int
      static let schema = GenerationSchema.object(["minutes": .integer(in: 5...90)])
    }
    enum CodingKeys: String, CodingKey {
      case weather, effort
      case isFar = "is_far"
      case places
      case scores = "s"
      case limit
    }

    let weather: Weather
    let effort: Effort?
    let isFar: Bool
    let places: [Place]
    let scores: [[Int8?]]
    let limit: Limit
  }

  @Test("properties in their order by the names they are decoded by, optionals left out, enums by their values")
  func derives() throws {
    #expect(
      try GenerationSchema(of: Walk.self).json
        == #"{"type":"object","properties":{"weather":{"enum":["sun","wet"]},"effort":{"enum":[1,2]},"#
        + #""is_far":{"type":"boolean"},"places":{"type":"array","items":{"type":"object","properties":"#
        + #"{"name":{"type":"string"},"distance":{"type":"number"}},"required":["name"],"additionalProperties":false}},"#
        + #""s":{"type":"array","items":{"type":"array","items":"#
        + #"{"anyOf":[{"type":"integer","minimum":-128,"maximum":127},{"type":"null"}]}}},"#
        + #""limit":{"type":"object","properties":{"minutes":{"type":"integer","minimum":5,"maximum":90}},"#
        + #""required":["minutes"],"additionalProperties":false}},"#
        + #""required":["weather","is_far","places","s","limit"],"additionalProperties":false}"#)
    #expect(try GenerationSchema(of: [Walk.Weather].self).json == #"{"type":"array","items":{"enum":["sun","wet"]}}"#)
    #expect(try GenerationSchema(of: Walk.Limit.self) == Walk.Limit.schema)
  }

  private struct Tree: Decodable { let children: [Tree] }
  private struct Prices: Decodable { let of: [String: Int] }
  private struct Diary: Decodable {
    struct Day: Decodable { let mood: Mood }
    enum Mood: String, Decodable { case sad, glad }
    let days: [Day]
  }
  private struct Climb: Decodable {
    enum Effort: Int, Decodable { case low, high }
    let effort: Effort
  }
  private struct Note: Decodable {
    enum Mark: String, Decodable { case none = "", star }
    let mark: Mark
  }
  private struct Chain: Decodable {
    init(from decoder: any Decoder) throws {
      _ = try Chain(from: decoder.container(keyedBy: Lenient.CodingKeys.self).superDecoder())
    }
  }
  private struct Round: Decodable {
    struct Lap: Generable {
      let minutes: Int
      static let schema = GenerationSchema.object(["minutes": .integer(in: 5...90)])
      init(from decoder: any Decoder) throws {
        minutes = try decoder.singleValueContainer().decode([String: Int].self)["minutes"] ?? 0
        guard (5...90).contains(minutes) else { throw CocoaError(.coderInvalidValue) }
      }
    }
    let lap: Lap
  }
  private struct Order: Codable {
    enum Item: Codable { case tea(Int), cake }
    let item: Item
  }
  private struct Span: Decodable { let hours: ClosedRange<Int> }
  private struct Photo: Decodable { let bytes: Data }
  private struct Lenient: Decodable {
    let page: URL?
    enum CodingKeys: CodingKey { case page }
    init(from decoder: any Decoder) throws {
      page = try? decoder.container(keyedBy: CodingKeys.self).decode(URL.self, forKey: .page)
    }
  }

  @Test("a type that has no schema is refused, and the property is named")
  func refuses() {
    func refusal<Value: Decodable>(_ type: Value.Type) -> String? {
      do throws(GenerationSchemaError) {
        _ = try GenerationSchema(of: type)
        return nil
      } catch {
        return "\(error.type).\(error.property): \(error.reason)"
      }
    }
    #expect(refusal(Tree.self) == "Tree.children[]: recursive")
    #expect(refusal(Prices.self) == "Prices.of: openKeys")
    #expect(refusal(Diary.self) == "Diary.days[].mood: rejectsValues")
    #expect(refusal(Climb.self) == "Climb.effort: rejectsValues")
    #expect(refusal(Note.self) == "Note.mark: rejectsValues")
    #expect(refusal(Chain.self)?.hasSuffix(": recursive") == true)
    #expect(refusal(Round.self) == "Round.lap: rejectsBlanks")
    #expect(refusal(Order.self) == "Order.item: openKeys")
    #expect(refusal(Span.self) == "Span.hours: mixedElements")
    #expect(refusal(Photo.self) == "Photo.bytes: notJSON")
    #expect(refusal(Lenient.self) == "Lenient.page: notJSON")
    #expect { try GenerationSchema(of: Diary.self) } throws: { "\($0)".contains("Diary.days[].mood") }
  }

  private struct Shop: Decodable {
    struct Shelf: Generable {
      let prices: [String: Int]
      let below: [Shelf]
      let beside: Int?
      static let schema = GenerationSchema(
        json: ##"{"type":"object","properties":{"below":{"type":"array","items":{"$ref":"#"}}}}"##)
    }
    struct Pair: Decodable {
      var sum = 0.0 as Float
      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        for _ in 0..<(values.count ?? 0) { sum += try values.decode(Float.self) }
      }
    }
    enum CodingKeys: String, CodingKey {
      case shelf = "a/b"
      case others, pair
    }
    let shelf: Shelf
    let others: [Shelf?]
    let pair: Pair
  }

  @Test("a nested schema of any form keeps its references, and its type needs no more than a blank value")
  func nests() throws {
    func shelf(_ place: String) -> String {
      ##"{"type":"object","properties":{"below":{"type":"array","items":{"$ref":"#/properties/\##(place)"}}}}"##
    }
    let schema = try GenerationSchema(of: Shop.self)
    #expect(
      schema.json
        == #"{"type":"object","properties":{"a/b":\#(shelf("a~1b")),"others":{"type":"array","items":{"anyOf":["#
        + #"\#(shelf("others/items/anyOf/0")),{"type":"null"}]}},"#
        + #""pair":{"type":"array","items":{"type":"number","minimum":-16777216.0,"maximum":16777216.0}}},"#
        + #""required":["a/b","others","pair"],"additionalProperties":false}"#)
    _ = try Models.small().outputGrammar(jsonSchema: schema.json)
  }

  private struct Plan: Decodable {
    enum Weather: String, Decodable, CaseIterable { case sun, rain, snow }
    let weather: Weather
    let minutes: UInt8
    let isFar: Bool?
    let height: Int16
  }

  @Test("a model that talks nonsense writes values of a type that says nothing of its schema")
  func writes() async throws {
    let model = try Models.small()
    for seed in 0..<8 {
      let session = try LanguageModelSession(model: model)
      let plan = try await session.respond(
        to: "Where shall we go?", generating: Plan.self, options: GenerationOptions(temperature: 1, seed: UInt64(seed)))
      #expect(plan.result.finishReason == .stop && plan.result.text.contains(plan.value.weather.rawValue))
      #expect(await session.transcript.last?.reply == plan.result.text)
    }
    await #expect(throws: GenerationSchemaError.self) {
      try await LanguageModelSession(model: model).respond(to: "And then?", generating: Tree.self)
    }
  }
}
