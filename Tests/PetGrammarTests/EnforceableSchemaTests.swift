// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import PetJSON
import Testing

@Suite("Schemas that cannot be enforced whole")
struct EnforceableSchemaTests {
  @Test(
    "what cannot be enforced is left out and named, and the rest holds",
    arguments: [
      (
        #"{"type":"array","items":{"type":"integer","multipleOf":2},"uniqueItems":true}"#,
        #"{"type":"array","items":{"type":"integer"}}"#, ["items.multipleOf", "uniqueItems"]
      ),
      (
        #"{"properties":{"uniqueItems":{"not":{"type":"null"},"x-order":1,"default":{"not":2}}}}"#,
        #"{"properties":{"uniqueItems":{"x-order":1,"default":{"not":2}}}}"#, ["properties.uniqueItems.not"]
      ),
      (
        #"{"properties":{"a/b":{"type":"string","pattern":"(?=a)b"}}}"#,
        #"{"properties":{"a/b":{"type":"string"}}}"#, ["properties.a/b.pattern"]
      ),
      (
        #"{"items":{"$ref":"https://example.org/x"}}"#, #"{"items":{}}"#, ["items.$ref"]
      ),
      (
        #"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, #"{"anyOf":[{"type":"integer"},{"type":"number"}]}"#,
        ["oneOf"]
      ),
      (
        #"{"anyOf":[{"type":"string"},{"if":true,"type":"array"}]}"#,
        #"{"anyOf":[{"type":"string"},{"type":"array"}]}"#, ["anyOf.1.if"]
      ),
      (#"{"type":"string","maxLength":3}"#, #"{"type":"string","maxLength":3}"#, []),
    ])
  func leftOut(_ schema: String, _ kept: String, _ keywords: [String]) throws {
    let part = try EnforceableSchema(
      JSONValue(parsing: Array(schema.utf8), limits: JSONLimits(nesting: 32)), within: CompilationBudget())
    #expect(String(decoding: part.value.compact, as: UTF8.self) == kept)
    #expect(part.leftOut.sorted() == keywords.sorted())
    _ = try Grammar(jsonSchema: part.value.compact)
  }

  @Test("a schema that is wrong stays so")
  func wrong() throws {
    for schema in [#"{"type":"nothing"}"#, #"{"pattern":"("}"#, ##"{"$ref":"#/a"}"##, "3"] {
      #expect(throws: GrammarError.self, "\(schema)") {
        try EnforceableSchema(
          JSONValue(parsing: Array(schema.utf8), limits: JSONLimits(nesting: 32)), within: CompilationBudget())
      }
    }
  }

  @Test("a pattern has no brace where texts may have none, but one that asks for it")
  func braces() throws {
    func grammar(_ pattern: String) throws -> Grammar {
      var options = JSONSchemaOptions()
      options.bracesInTexts = false
      return try Grammar(jsonSchema: Array(#"{"type":"string","pattern":"\#(pattern)"}"#.utf8), options: options)
    }
    let free = try grammar("^.+$")
    #expect(try free.matches(#""a""#))
    for text in [#""a{""#, #""a}""#] { #expect(try !free.matches(text)) }
    #expect(try grammar(#"^\\{a\\}$"#).matches(#""{a}""#))
  }
}
