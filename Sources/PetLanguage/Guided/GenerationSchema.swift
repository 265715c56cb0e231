// SPDX-License-Identifier: Apache-2.0
/// The form of a value that a model is to give, as a JSON schema (draft 2020-12).
public struct GenerationSchema: Sendable, Equatable {
  /// The schema as JSON text.
  public let json: String
  /// Whether an object may be without it.
  public private(set) var isOptional = false

  /// A schema as it stands. What of it can be enforced: ``LanguageModel/outputGrammar(jsonSchema:)``.
  public init(json: String) { self.json = json }

  /// The schema of what a type decodes: its own where it is ``Generable``, else that of its properties, by the names that they
  /// are decoded by, in the order of the `CodingKeys`. Nested types, arrays, optionals (which a value may be without) and `CaseIterable` enums with
  /// raw values are followed; strings and arrays have any length, and a `Float` is at most 2^24 from zero. O(properties).
  ///
  /// ```swift
  /// struct Walk: Decodable {
  ///   enum Weather: String, Decodable, CaseIterable { case sun, rain }
  ///   let weather: Weather
  ///   let minutes: UInt8
  /// }
  /// ```
  ///
  /// The type's `init(from:)` is run with 0, "" and one element. That of a nested ``Generable`` is run with no elements and without
  /// optionals; one that refuses them, as where it checks a range, needs a type around it that is ``Generable``.
  /// - Throws: `GenerationSchemaError` naming the property that has no schema.
  public init(of type: (some Decodable).Type) throws(GenerationSchemaError) {
    if let type = type as? any Generable.Type {
      self = type.schema
      return
    }
    let recorder = SchemaRecorder(of: "\(type)")
    // What it throws is recorded, too.
    _ = try? recorder.value(type)
    self = try recorder.schema()
  }

  private init(_ type: String, _ rules: [(name: String, value: String?)] = []) {
    let rules = rules.compactMap { rule in rule.value.map { #","\#(rule.name)":\#($0)"# } }
    json = #"{"type":"\#(type)"\#(rules.joined())}"#
  }

  public static let boolean = GenerationSchema("boolean")

  /// - Parameter maximumLength: characters; a model that is free to go on may not end by itself.
  public static func string(maximumLength: Int? = nil) -> GenerationSchema {
    GenerationSchema("string", [("maxLength", maximumLength.map(String.init))])
  }

  /// A string of a form.
  /// - Parameter pattern: a regular expression as in JSON schemas.
  public static func string(pattern: String) -> GenerationSchema {
    GenerationSchema("string", [("pattern", JSONText.quoted(pattern))])
  }

  /// One of these strings.
  public static func choice(_ values: [String]) -> GenerationSchema {
    GenerationSchema(json: #"{"enum":[\#(values.map(JSONText.quoted).joined(separator: ","))]}"#)
  }

  public static func integer(in range: ClosedRange<Int>? = nil) -> GenerationSchema {
    GenerationSchema(
      "integer", [("minimum", range.map { "\($0.lowerBound)" }), ("maximum", range.map { "\($0.upperBound)" })])
  }

  public static func number(in range: ClosedRange<Double>? = nil) -> GenerationSchema {
    GenerationSchema(
      "number", [("minimum", range.map { "\($0.lowerBound)" }), ("maximum", range.map { "\($0.upperBound)" })])
  }

  public static func array(of element: GenerationSchema, count: ClosedRange<Int>? = nil) -> GenerationSchema {
    GenerationSchema(
      "array",
      [
        ("items", element.json(in: "items")), ("minItems", count.map { "\($0.lowerBound)" }),
        ("maxItems", count.map { "\($0.upperBound)" }),
      ])
  }

  /// An object with these members, in this order, and no others.
  public static func object(_ members: KeyValuePairs<String, GenerationSchema>) -> GenerationSchema {
    object(members: Array(members))
  }

  static func object(members: [(key: String, value: GenerationSchema)]) -> GenerationSchema {
    let properties = members.map { "\(JSONText.quoted($0.key)):\($0.value.json(in: "properties", $0.key))" }
      .joined(separator: ",")
    let required = members.filter { !$0.value.isOptional }.map { JSONText.quoted($0.key) }.joined(separator: ",")
    return GenerationSchema(
      "object",
      [("properties", "{\(properties)}"), ("required", "[\(required)]"), ("additionalProperties", "false")])
  }

  /// The schema as a part of another one, whose references lead where they did.
  /// - Parameter path: the keys from there to it.
  func json(in path: String...) -> String {
    let pointer = path.map {
      "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1").replacing("%", with: "%25")
    }
    return ArgumentSchema.moved(json, to: pointer.joined())
  }

  /// The same, but an object may be without it.
  public var optional: GenerationSchema {
    var copy = self
    copy.isOptional = true
    return copy
  }

  /// The same, with words that tell the model what it is for.
  public func described(_ text: String) -> GenerationSchema {
    let rest = json.dropFirst()
    var copy = GenerationSchema(
      json: #"{"description":\#(JSONText.quoted(text))\#(rest.first == "}" ? "" : ",")\#(rest)"#)
    copy.isOptional = isOptional
    return copy
  }
}
