// SPDX-License-Identifier: Apache-2.0
import PetJSON

/// How a JSON schema becomes a grammar.
package struct JSONSchemaOptions: Sendable, Equatable {
  /// Where white space may be. Nothing is allowed that could go on without end.
  package enum WhiteSpace: Sendable, Equatable {
    /// None: compact JSON.
    case none
    /// One space, or none, after each comma and colon.
    case optionalSpaces
  }

  package var whiteSpace: WhiteSpace
  /// Whether an object schema that names properties but says nothing of `additionalProperties` admits no others, and a
  /// `prefixItems` without `items` no more elements. A model invents what it may invent. Off, the specification's rule
  /// holds: what is not forbidden is allowed.
  package var isStrict: Bool
  /// Whether strings and keys that the schema leaves free may hold a brace.
  package var bracesInTexts = true

  package init(whiteSpace: WhiteSpace = .none, isStrict: Bool = true) {
    self.whiteSpace = whiteSpace
    self.isStrict = isStrict
  }
}

extension Grammar {
  /// Compiles a JSON schema (draft 2020-12). Whatever the grammar lets through is valid; what cannot be enforced is refused.
  ///
  /// Enforced: `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `prefixItems`,
  /// `minItems`, `maxItems`, `minLength`, `maxLength`, `pattern`, `minimum`, `maximum`, `exclusiveMinimum`,
  /// `exclusiveMaximum`, `allOf`, `anyOf`, `oneOf` of alternatives that exclude each other, `$ref` within the document with
  /// recursion, `$defs`, and `format` for `date`, `time`, `date-time` and `uuid`. Other formats and annotations are
  /// ignored. Any other keyword is an error.
  ///
  /// Of the valid texts the grammar admits these:
  /// - Properties come in the schema's order, then those required but not named, then additional ones. Keys are in their
  ///   canonical spelling, which escapes only quotation marks, backslashes and control characters. So are strings with
  ///   `pattern`, `format`, `enum` or `const`; others may use any escapes.
  /// - Integers are those of `Int64`, without fraction or exponent. Numbers have up to 18 digits, 17 after the point and 2
  ///   in the exponent; those with bounds have up to 15 digits and no exponent.
  /// - An object may have some hundreds of optional properties: the work grows with the square of their number.
  /// - `prefixItems` lists at most 1,024 schemas.
  /// - Recursive schemas nest at most `limits.depth` levels.
  /// An additional key may be written twice; the schema holds for both.
  ///
  /// - Parameter jsonSchema: the schema as JSON text in UTF-8.
  /// - Throws: `GrammarError`.
  package init(
    jsonSchema: [UInt8], options: JSONSchemaOptions = JSONSchemaOptions(), limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) {
    let root = try JSONValue(schema: jsonSchema, limits: limits)
    let budget = CompilationBudget(limits)
    automaton = try AutomatonBuilder.build(
      try SchemaCompiler.compile(root, options: options, limits: limits, budget: budget), limits: limits, budget: budget
    )
  }

  /// Any JSON value, or any JSON object: the grammar of "JSON mode".
  /// - Throws: `GrammarError`, where `limits` are too small for it.
  package static func json(
    objectsOnly: Bool = false, options: JSONSchemaOptions = JSONSchemaOptions(), limits: GrammarLimits = GrammarLimits()
  ) throws(GrammarError) -> Grammar {
    let schema = objectsOnly ? #"{"type":"object"}"# : "true"
    return try Grammar(jsonSchema: Array(schema.utf8), options: options, limits: limits)
  }
}
