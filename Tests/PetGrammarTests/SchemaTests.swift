// SPDX-License-Identifier: Apache-2.0
import PetGrammar
import Testing

@Suite("JSON schemas")
struct SchemaTests {
  private func expect(
    _ schema: String, fits: [String], not: [String], strict: Bool = false, _ place: SourceLocation = #_sourceLocation
  ) throws {
    let grammar = try Grammar(schema: schema, strict: strict)
    for text in fits { #expect(try grammar.matches(text), "\(text)", sourceLocation: place) }
    for text in not { #expect(try !grammar.matches(text), "\(text)", sourceLocation: place) }
  }

  @Test("strings are JSON's: escapes, pairs of surrogates, no control characters")
  func strings() throws {
    try expect(
      #"{"type":"string"}"#,
      fits: [#""""#, #""a\"\\\/\b\f\n\r\t""#, #""\u0000\u00e9\uD83D\ude00\uFFFF\ud7ff""#, "\"é日😀\u{7F}\u{2028}\""],
      not: [
        "\"", "\"\n\"", "\"\u{1F}\"", #""\x""#, #""\u12""#, #""\ud83d""#, #""\ude00""#, #""\ud83dx""#,
        #""\ud83d\u0041""#, "a", "",
      ])
    #expect(try !Grammar(schema: #"{"type":"string"}"#).matches([0x22, 0xED, 0xA0, 0x80, 0x22]))
  }

  @Test("lengths count code points, an escape and a surrogate pair as one")
  func lengths() throws {
    try expect(
      #"{"type":"string","minLength":2,"maxLength":3}"#,
      fits: ["\"ab\"", "\"é😀日\"", #""\ud83d\ude00\n""#, #""\u0041b\\""#],
      not: ["\"a\"", #""\ud83d\ude00""#, "\"abcd\"", "\"😀\""])
    let long = try Grammar(schema: #"{"type":"string","minLength":500,"maxLength":20000}"#)
    for count in [499, 500, 20000, 20001] {
      #expect(try long.matches("\"" + String(repeating: "é", count: count) + "\"") == (500...20000).contains(count))
    }
  }

  @Test("integers within bounds, digit for digit, to the ends of Int64")
  func integers() throws {
    try expect(
      #"{"type":"integer"}"#, fits: ["0", "-1", "9223372036854775807", "-9223372036854775808"],
      not: ["9223372036854775808", "-9223372036854775809", "-0", "01", "1.0", "1e3", "", "-", "+1"])
    var random = SeededRandom(8)
    for _ in 0..<120 {
      let bounds = [0, 0].map { _ in Int.random(in: -1200...1200, using: &random) / [1, 10, 100][random.below(3)] }
        .sorted()
      let grammar = try Grammar(schema: #"{"type":"integer","minimum":\#(bounds[0]),"maximum":\#(bounds[1])}"#)
      let matcher = try grammar.matcher
      for number in -1300...1300 {
        let fits = matcher.accepting(String(number))?.canEnd ?? false
        if fits != (bounds[0]...bounds[1]).contains(number) { Issue.record("\(number) in \(bounds)") }
      }
    }
    try expect(
      #"{"type":"integer","exclusiveMinimum":-1.5,"exclusiveMaximum":2}"#, fits: ["-1", "0", "1"], not: ["-2", "2"])
    try expect(#"{"type":"integer","minimum":1e2,"maximum":100.9}"#, fits: ["100"], not: ["99", "101"])
    try expect(
      #"{"type":"integer","minimum":9223372036854775807}"#, fits: ["9223372036854775807"], not: ["9223372036854775806"])
    #expect(refusal(schema: #"{"type":"integer","exclusiveMinimum":9223372036854775807}"#) == .emptyLanguage)
    #expect(refusal(schema: #"{"type":"integer","minimum":1e30}"#) == .emptyLanguage)
    try expect(#"{"type":"integer","minimum":-1e30,"maximum":1e30}"#, fits: ["0"], not: ["1.5"])
  }

  @Test("decimal numbers within bounds, against comparison as Double")
  func numbers() throws {
    try expect(
      #"{"type":"number"}"#, fits: ["0", "-0", "1.5", "-12.50", "1e5", "2E-07", "0.001"],
      not: ["01", ".5", "1.", "1e", "1e100", "+1", "NaN", "1.5.5"])
    var random = SeededRandom(9)
    let values = [
      "-20.5", "-3.25", "-1", "-0.5", "-0.05", "0", "0.1", "0.25", "0.999", "1", "1.5", "9.99", "10", "10.01", "123.4",
    ]
    for _ in 0..<100 {
      let (low, high) = (values[random.below(values.count)], values[random.below(values.count)])
      let (isOpenLow, isOpenHigh) = (random.chance(50), random.chance(50))
      let usesLow = random.chance(70)
      var schema = #"{"type":"number","\#(isOpenHigh ? "exclusiveMaximum" : "maximum")":\#(high)"#
      if usesLow { schema += #","\#(isOpenLow ? "exclusiveMinimum" : "minimum")":\#(low)"# }
      let matcher = try? Grammar(schema: schema + "}").matcher
      for _ in 0..<300 {
        var text = random.chance(50) ? values[random.below(values.count)] : String(random.below(300) - 150)
        if !text.contains("."), random.chance(50) { text += "." + String(random.below(10)) }
        if text.contains("."), random.chance(30) { text += String(random.below(100)) }
        guard let number = Double(text), let top = Double(high), let bottom = Double(low), number != 0 else { continue }
        let isAbove = !usesLow || (isOpenLow ? number > bottom : number >= bottom)
        let fits = isAbove && (isOpenHigh ? number < top : number <= top)
        if (matcher?.accepting(text)?.canEnd ?? false) != fits { Issue.record("\(text) for \(schema)") }
      }
    }
    guard case .unsupported = refusal(schema: #"{"type":"number","minimum":0.1234567890123456}"#) else {
      Issue.record("a bound of 16 digits was accepted")
      return
    }
  }

  @Test("objects have their properties in order, the required ones always")
  func objects() throws {
    let schema =
      #"{"type":"object","properties":{"a":{"const":1},"b":{"const":2},"c":{"const":3}},"required":["b"],"additionalProperties":false}"#
    try expect(
      schema, fits: [#"{"b":2}"#, #"{"a":1,"b":2}"#, #"{"b":2,"c":3}"#, #"{"a":1,"b":2,"c":3}"#],
      not: [
        "{}", #"{"a":1}"#, #"{"b":2,"a":1}"#, #"{"b":2,}"#, #"{,"b":2}"#, #"{"b":2"c":3}"#, #"{"b":2,"b":2}"#,
        #"{"b":3}"#,
      ])
    try expect(
      #"{"type":"object","properties":{"a":{"const":1},"b":{"const":2}}}"#,
      fits: ["{}", #"{"a":1}"#, #"{"b":2}"#, #"{"a":1,"b":2}"#], not: [#"{"c":1}"#, "{,}"], strict: true)
    try expect(
      #"{"type":"object","properties":{"q\"\n\u0001é":{"const":1}},"required":["q\"\n\u0001é"]}"#,
      fits: [#"{"q\"\n\u0001é":1}"#], not: [#"{"q\"\n\u0001\u00e9":1}"#, "{}"])
    try expect(
      #"{"type":"object","required":["x"]}"#, fits: [#"{"x":[null]}"#, #"{"x":1,"y":2}"#], not: ["{}", #"{"y":2}"#])
  }

  @Test("additional keys are never those that have a schema of their own, however they are spelled")
  func additional() throws {
    let schema =
      #"{"type":"object","properties":{"ab":{"const":1},"é":{"const":2}},"additionalProperties":{"type":"boolean"}}"#
    try expect(
      schema,
      fits: [
        #"{"ab":1,"x":true}"#, #"{"a":true,"abc":false,"":true}"#, #"{"è":true,"b":true}"#, #"{"\"\u0001":true}"#,
      ],
      not: [
        #"{"ab":true}"#, #"{"é":true}"#, #"{"\u0061b":true}"#, #"{"x":1}"#, #"{"x":true,"ab":1}"#,
        #"{"ab":1,"ab":true}"#,
      ])
    // An object without keys beside one whose only key is empty.
    try expect(
      #"{"type":"object","properties":{"y":{"type":"object","properties":{"":{"const":1}},"required":[""],"additionalProperties":{"type":"boolean"}},"x":{"type":"object"}},"required":["x","y"]}"#,
      fits: [#"{"y":{"":1,"a":true},"x":{"":2}}"#], not: [#"{"y":{"":1,"":true},"x":{}}"#])
    try expect(#"{"type":"object","properties":{"a":true}}"#, fits: [#"{"a":0,"z":[1]}"#], not: [])
    try expect(
      #"{"type":"object","properties":{"a":true}}"#, fits: [#"{"a":0}"#], not: [#"{"a":0,"z":[1]}"#], strict: true)
  }

  @Test("arrays: items, prefixes and counts")
  func arrays() throws {
    try expect(
      #"{"type":"array","items":{"const":1},"minItems":1,"maxItems":2}"#, fits: ["[1]", "[1,1]"],
      not: ["[]", "[1,1,1]", "[1,]", "[2]"])
    try expect(
      #"{"type":"array","prefixItems":[{"const":1},{"const":2}],"items":{"const":3},"minItems":1,"maxItems":4}"#,
      fits: ["[1]", "[1,2]", "[1,2,3]", "[1,2,3,3]"], not: ["[]", "[2]", "[1,3]", "[1,2,3,3,3]"])
    try expect(#"{"type":"array","prefixItems":[{"const":1}]}"#, fits: ["[]", "[1]", "[1,{}]"], not: ["[2]"])
    try expect(
      #"{"type":"array","prefixItems":[{"const":1}]}"#, fits: ["[]", "[1]"], not: ["[2]", "[1,{}]"], strict: true)
    try expect(#"{"type":"array","maxItems":0}"#, fits: ["[]"], not: ["[1]"])
    try expect(#"{"type":"array","items":false}"#, fits: ["[]"], not: ["[1]"])
    let long = try Grammar(schema: #"{"type":"array","items":{"const":1},"minItems":90,"maxItems":100}"#)
    for count in [89, 90, 100, 101] {
      let text = "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
      #expect(try long.matches(text) == (90...100).contains(count))
    }
  }

  @Test("any JSON value, and bounded depth")
  func anything() throws {
    let grammar = try Grammar.json()
    for text in ["null", "true", "[]", "{}", #"{"a":[1,{"b":"x"}],"c":-1.5e3}"#] { #expect(try grammar.matches(text)) }
    for text in ["", "nul", "[1,]", "{a:1}", "[1 ]", "{\"a\"}"] { #expect(try !grammar.matches(text)) }
    let objects = try Grammar.json(objectsOnly: true, limits: GrammarLimits(depth: 2))
    #expect(try objects.matches("{\"a\":[[1]]}") && !objects.matches("[]") && !objects.begins("{\"a\":[[[["))
  }

  @Test("white space is none, or one space after commas and colons")
  func whiteSpace() throws {
    let schema = Array(#"{"type":"object","properties":{"a":{"type":"array","items":{"const":1}}}}"#.utf8)
    let grammar = try Grammar(jsonSchema: schema, options: .init(whiteSpace: .optionalSpaces))
    for text in [#"{"a": [1, 1]}"#, #"{"a":[1,1, 1]}"#] { #expect(try grammar.matches(text)) }
    for text in [#"{"a":  [1]}"#, #"{ "a": [1]}"#, "{\"a\":\n[1]}"] { #expect(try !grammar.matches(text)) }
  }

  @Test("combinations: allOf merges, anyOf chooses, oneOf must exclude")
  func combinations() throws {
    try expect(
      #"{"allOf":[{"type":["integer","string"]},{"minimum":3,"maxLength":1}],"maximum":5}"#,
      fits: ["3", "5", "\"a\""], not: ["2", "6", "\"ab\"", "null"])
    try expect(
      #"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"anyOf":[{"properties":{"a":{"minimum":5}}},{"properties":{"a":{"maximum":-5}}}]}"#,
      fits: [#"{"a":5}"#, #"{"a":-7}"#], not: [#"{"a":0}"#, "{}"], strict: true)
    try expect(
      #"{"allOf":[{"properties":{"a":{"const":1}},"additionalProperties":false},{"properties":{"b":{"const":1}}}],"type":"object"}"#,
      fits: ["{}", #"{"a":1}"#], not: [#"{"b":1}"#, #"{"a":1,"b":1}"#])
    try expect(
      #"{"oneOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":4},{"type":"string"}]}"#,
      fits: ["3", "4", "\"\""], not: ["null"])
    // What all share may be asked by each of the alternatives too.
    try expect(
      ##"{"$ref":"#/$defs/Pet","$defs":{"Base":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},"Pet":{"allOf":[{"$ref":"#/$defs/Base"}],"oneOf":[{"$ref":"#/$defs/Dog"},{"$ref":"#/$defs/Cat"}]},"Dog":{"allOf":[{"$ref":"#/$defs/Base"},{"properties":{"kind":{"const":"dog"}},"required":["kind"]}]},"Cat":{"allOf":[{"$ref":"#/$defs/Base"},{"properties":{"kind":{"const":"cat"}},"required":["kind"]}]}}}"##,
      fits: [#"{"name":"a","kind":"dog"}"#, #"{"name":"a","kind":"cat"}"#],
      not: [#"{"kind":"dog"}"#, #"{"name":"a"}"#, #"{"name":"a","kind":"cow"}"#])
    for schema in [
      #"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#, #"{"oneOf":[{"const":1},{"const":1.0}]}"#,
      #"{"oneOf":[{"type":"string"},{"const":"a"}]}"#,
      #"{"oneOf":[{"type":"object","properties":{"a":{"const":1}}},{"type":"object","properties":{"a":{"const":2}}}]}"#,
      #"{"oneOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":3}]}"#,
      #"{"oneOf":[true,{"type":"null"}]}"#,
    ] {
      guard case .unsupported("oneOf", _, _) = refusal(schema: schema) else {
        Issue.record("\(schema) was compiled")
        continue
      }
    }
  }

  @Test("listed values obey what stands beside them")
  func values() throws {
    try expect(
      #"{"enum":["a","bcd",1,7,null,"zz"],"type":["string","integer"],"maxLength":2,"maximum":5,"pattern":"^[a-y]"}"#,
      fits: ["\"a\"", "1"], not: ["\"bcd\"", "7", "null", "\"zz\""])
    try expect(
      #"{"const":{"b":[1,2.50],"a":"\u00e9\/"}}"#, fits: [#"{"b":[1,2.50],"a":"é/"}"#],
      not: [#"{"a":"é/","b":[1,2.50]}"#])
    try expect(#"{"allOf":[{"enum":[1,2,3]},{"enum":[2.0,3,4]}],"enum":[3]}"#, fits: ["3"], not: ["2", "4"])
    guard case .unsupported("minItems", "", _) = refusal(schema: #"{"enum":[[1]],"minItems":1}"#) else {
      Issue.record("an array was listed beside minItems")
      return
    }
    #expect(refusal(schema: #"{"enum":[]}"#) == .emptyLanguage && refusal(schema: "false") == .emptyLanguage)
  }

  @Test("formats are dates and times that there are")
  func formats() throws {
    try expect(
      #"{"type":"string","format":"date"}"#,
      fits: ["\"2024-02-29\"", "\"2000-02-29\"", "\"0001-12-31\"", "\"1999-04-30\""],
      not: [
        "\"2023-02-29\"", "\"1900-02-29\"", "\"1999-04-31\"", "\"0000-01-01\"", "\"1999-13-01\"", "\"1999-00-01\"",
        "\"1999-01-00\"", "\"1999-1-1\"",
      ])
    try expect(
      #"{"type":"string","format":"time"}"#, fits: ["\"23:59:59Z\"", "\"00:00:00.5-23:59\""],
      not: ["\"24:00:00Z\"", "\"00:00:00\"", "\"00:60:00Z\"", "\"00:00:60Z\""])
    try expect(#"{"type":"string","format":"email"}"#, fits: ["\"not checked\""], not: [])
    try expect(
      #"{"type":"string","format":"date","pattern":"^19","maxLength":10}"#, fits: ["\"1999-01-01\""],
      not: ["\"2000-01-01\""])
  }

  @Test(
    "what cannot be enforced is refused by name and place",
    arguments: [
      (#"{"type":"object","properties":{"a/b":{"uniqueItems":true}}}"#, "uniqueItems", "/properties/a~1b"),
      (#"{"not":{"type":"null"}}"#, "not", ""), (#"{"if":true}"#, "if", ""), (#"{"multipleOf":3}"#, "multipleOf", ""),
      (#"{"type":"array","items":{"contains":true}}"#, "contains", "/items"),
      (#"{"patternProperties":{}}"#, "patternProperties", ""),
      (#"{"minProperties":1}"#, "minProperties", ""), (#"{"tyep":"string"}"#, "tyep", ""),
      (#"{"dependentRequired":{}}"#, "dependentRequired", ""),
      (#"{"anyOf":[{"unevaluatedProperties":false}]}"#, "unevaluatedProperties", "/anyOf/0"),
      (#"{"$ref":"other.json"}"#, "$ref", ""),
      (#"{"pattern":"(?=a)b"}"#, "pattern", ""), (#"{"pattern":"(a)\\1"}"#, "pattern", ""),
      (#"{"pattern":"a\\b"}"#, "pattern", ""),
      (#"{"pattern":"(^a)"}"#, "pattern", ""), (#"{"pattern":"a$b"}"#, "pattern", ""),
      (#"{"pattern":"\\p{L}"}"#, "pattern", ""),
      (#"{"items":[true]}"#, "items", ""), (##"{"$dynamicRef":"#a"}"##, "$dynamicRef", ""),
      (#"{"propertyNames":{"maxLength":3}}"#, "propertyNames", ""),
    ])
  func unsupported(schema: String, keyword: String, pointer: String) {
    guard case .unsupported(keyword, pointer, _) = refusal(schema: schema) else {
      Issue.record("\(schema): \(String(describing: refusal(schema: schema)))")
      return
    }
  }

  @Test(
    "values of keywords that make no sense are refused by name and place",
    arguments: [
      (#"{"type":"text"}"#, "type"), (#"{"type":5}"#, "type"), (#"{"minLength":-1}"#, "minLength"),
      (#"{"maxItems":1.5}"#, "maxItems"),
      (#"{"required":"a"}"#, "required"), (#"{"properties":[]}"#, "properties"), (#"{"anyOf":[]}"#, "anyOf"),
      (#"{"allOf":{}}"#, "allOf"),
      (#"{"items":5}"#, "schema"), (#"{"minimum":"1"}"#, "minimum"), (#"{"pattern":"["}"#, "pattern"),
      (#"{"pattern":"*"}"#, "pattern"),
      (#"{"pattern":"a)"}"#, "pattern"), (#"{"pattern":"a{2,1}"}"#, "pattern"), (#"{"enum":1}"#, "enum"),
      (#"{"$ref":1}"#, "$ref"), ("5", "schema"),
    ])
  func invalid(schema: String, keyword: String) {
    guard case .invalidKeyword(keyword, _, _) = refusal(schema: schema) else {
      Issue.record("\(schema): \(String(describing: refusal(schema: schema)))")
      return
    }
  }

  @Test(
    "the schema's text must be strict JSON",
    arguments: [
      "", "{", "{\"a\":1,\"a\":2}", "{}x", "[1,]", "{\"a\":\"\\ud800\"}", "{\"a\":01}", "\"\u{1}\"", "{'a':1}", "nul",
      "\"abc", "1.", "-", "{\"a\" 1}",
    ])
  func json(text: String) {
    guard case .syntax = refusal(schema: text) else {
      Issue.record("\(text): \(String(describing: refusal(schema: text)))")
      return
    }
    guard case .syntax = refusal({ try Grammar(jsonSchema: [0x22, 0xFF, 0x22]) }) else {
      Issue.record("bytes that are no UTF-8 were read")
      return
    }
  }
}
