// SPDX-License-Identifier: Apache-2.0
import PetJSON
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
  private func value(_ text: String, _ keys: JSONValue.RepeatedKeys = .refused) throws(JSONError) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), limits: JSONLimits(nesting: 64), repeatedKeys: keys)
  }

  @Test("members keep their order, and numbers every digit")
  func order() throws {
    let text = #"{"b":[1.50,-0,1e400,12345678901234567890123],"a":{"":null,"é":true},"c":"\"\\\n"}"#
    #expect(try value(text).compactText == text)
    #expect(try value(" [ 1 ,\t2 ]\r\n").compactText == "[1,2]")
    #expect(
      String(decoding: try value(#"{"a":[1,{"b":[]}],"c":{}}"#).indented, as: UTF8.self) == """
        {
          "a": [
            1,
            {
              "b": []
            }
          ],
          "c": {}
        }

        """)
  }

  @Test("escapes are the characters that they stand for")
  func escapes() throws {
    #expect(try value(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00\u0000""#).text == "\"\\/\u{8}\u{C}\n\r\tAé€😀\0")
    #expect(try value("\"a\u{7F}\u{2028}\"").compactText == "\"a\u{7F}\u{2028}\"")
    #expect(try value(#""\u001f\u0008""#).compactText == #""\u001f\b""#)
  }

  @Test("values of the right kind, and nil for others")
  func access() throws {
    let object = try value(
      #"{"text":"a","yes":true,"whole":-7,"half":0.5,"list":[1],"none":null,"large":1e999,"many":1e3}"#)
    #expect(object["text"]?.text == "a" && object["yes"]?.bool == true && object["whole"]?.integer == -7)
    #expect(object["half"]?.double == 0.5 && object["half"]?.integer == nil && object["many"]?.integer == nil)
    #expect(object["many"]?.double == 1000 && object["large"]?.double == nil && object["list"]?.array?.count == 1)
    #expect(object["none"] == nil && object["other"] == nil && object["text"]?["text"] == nil)
    #expect(object.members?.map(\.key) == ["text", "yes", "whole", "half", "list", "none", "large", "many"])
  }

  @Test("numbers are compared by value, and objects without their order")
  func equality() throws {
    #expect(try value("[1.0,10e-1,100]") == value("[1,1,1e2]"))
    #expect(try value("1") != value("1.0000000000000000000000001"))
    #expect(try value(#"{"a":1,"b":2}"#) == value(#"{"b":2,"a":1}"#))
    // One letter in two spellings.
    #expect(try value("\"\u{E9}\"") != value("\"e\u{301}\""))
    #expect(try value("{\"\u{E9}\":1,\"e\u{301}\":2}").members?.count == 2)
  }

  @Test("of a key that is given twice the last value wins only where that is asked for")
  func repeatedKeys() throws {
    #expect(try value(#"{"a":1,"b":2,"\u0061":3}"#, .lastWins).compactText == #"{"a":3,"b":2}"#)
    #expect(throws: JSONError.syntax(line: 1, column: 14, problem: "a key is given twice")) {
      try value(#"{"a":1,"b":2,"\u0061":3}"#)
    }
    #expect(throws: JSONError.syntax(line: 1, column: 13, problem: "a key is given twice")) {
      try value(#"{"x":{"y":1,"y":2}}"#)
    }
  }

  @Test(
    "what is not JSON is refused with its place and reason",
    arguments: [
      ("", 1, 1, "expected a JSON value"), (" \n ", 2, 2, "expected a JSON value"),
      ("nul", 1, 1, "expected a JSON value"), ("NaN", 1, 1, "expected a JSON value"),
      ("+1", 1, 1, "expected a JSON value"), (".5", 1, 1, "expected a JSON value"),
      ("'a'", 1, 1, "expected a JSON value"), ("\u{FEFF}1", 1, 1, "expected a JSON value"),
      ("01", 1, 2, "a number begins with 0"), ("-", 1, 2, "expected a digit"), ("1.", 1, 3, "expected a digit"),
      ("1.e5", 1, 3, "expected a digit"), ("1e+", 1, 4, "expected a digit"), ("-a", 1, 2, "expected a digit"),
      ("[1,]", 1, 4, "expected a JSON value"), ("[,1]", 1, 2, "expected a JSON value"),
      ("[1 2]", 1, 4, "expected , or ] in an array"), ("[1", 1, 3, "expected , or ] in an array"),
      ("{\"a\" 1}", 1, 6, "expected : after a key"), ("{\"a\":1,}", 1, 8, "expected a key"),
      ("{a:1}", 1, 2, "expected a key"), ("{1:1}", 1, 2, "expected a key"), ("{\"a\":}", 1, 6, "expected a JSON value"),
      ("{\"a\":1 \"b\":2}", 1, 8, "expected , or } in an object"), ("{", 1, 2, "expected a key"),
      ("\"é\n\"", 1, 3, "a control character in a string"), ("\"a", 1, 3, "a string is not closed"),
      ("\"\\", 1, 3, "a string is not closed"), ("\"\\q\"", 1, 4, "unknown escape"),
      ("\"\\u12G4\"", 1, 6, "expected 4 hexadecimal digits"), ("\"\\ud800\"", 1, 8, "half of a surrogate pair"),
      ("\"\\udc00\"", 1, 8, "half of a surrogate pair"), ("\"\\ud800\\u0041\"", 1, 14, "half of a surrogate pair"),
      ("1 2", 1, 3, "text after the value"), ("{}\n}", 2, 1, "text after the value"),
      ("/**/1", 1, 1, "expected a JSON value"), ("[1]\0", 1, 4, "text after the value"),
    ])
  func refused(_ text: String, _ line: Int, _ column: Int, _ problem: String) {
    #expect(throws: JSONError.syntax(line: line, column: column, problem: problem)) { try value(text) }
    #expect(
      throws: JSONError.syntax(line: line, column: column, problem: problem), "read and forgotten"
    ) {
      var reader = try JSONReader(Array(text.utf8), limits: JSONLimits(nesting: 64))
      try reader.skipValue()
      try reader.end()
    }
  }

  @Test(
    "bytes that are no UTF-8 are told before anything else, with their place",
    arguments: [
      ([0x5B, 0x0A, 0x22, 0xFF], 2, 2), ([0x7B, 0x22, 0xC0, 0x80], 1, 3), ([0xED, 0xA0, 0x80], 1, 1),
      ([0x22, 0xC3, 0xA9, 0xF5, 0x22], 1, 3), ([0x22, 0xE2, 0x82], 1, 2), ([0x78, 0xFE], 1, 2),
    ] as [([UInt8], Int, Int)])
  func notUTF8(_ bytes: [UInt8], _ line: Int, _ column: Int) {
    #expect(throws: JSONError.syntax(line: line, column: column, problem: "the text is not UTF-8")) {
      try JSONReader(bytes, limits: JSONLimits(nesting: 8))
    }
  }
}
