// SPDX-License-Identifier: Apache-2.0
import PetJSON
import Testing

@Suite("Pulling values out of JSON")
struct JSONPullTests {
  private func reader(_ text: String, values: Int = .max) throws(JSONError) -> JSONReader {
    try JSONReader(Array(text.utf8), limits: JSONLimits(nesting: 8, values: values))
  }

  @Test("the caller takes what it wants and skips the rest")
  func pull() throws {
    var reader = try reader(
      #" {"skip": {"a": [1, {"b": null}]}, "sizes": [2, 3], "name": "\u0061é", "on": false, "n": 1e2} "#)
    var (sizes, name, isOn, number): ([Int], String?, Bool?, [UInt8]) = ([], nil, nil, [])
    var members = try reader.beginObject()
    while let key = try reader.nextKey(&members) {
      switch key {
      case "sizes":
        var elements = try reader.beginArray()
        while try reader.nextElement(&elements) { sizes.append(try reader.integer()) }
      case "name": name = try reader.text()
      case "on": isOn = try reader.bool()
      case "n": number = try reader.number()
      default: try reader.skipValue()
      }
    }
    try reader.end()
    #expect(sizes == [2, 3] && name == "aé" && isOn == false && number == Array("1e2".utf8))
  }

  @Test("a value of another kind is refused where it begins")
  func kinds() {
    func refuses(_ text: String, _ problem: String, _ read: (inout JSONReader) throws -> Void) {
      #expect(throws: JSONError.syntax(line: 1, column: 2, problem: problem), "\(text)") {
        var reader = try reader(text)
        try read(&reader)
      }
    }
    refuses(" 1", "expected an object") { _ = try $0.beginObject() }
    refuses(" {}", "expected an array") { _ = try $0.beginArray() }
    refuses(" null", "expected a string") { _ = try $0.text() }
    refuses(" \"1\"", "expected a number") { _ = try $0.number() }
    refuses(" 0", "expected true or false") { _ = try $0.bool() }
    refuses(" false", "expected null") { try $0.null() }
    for number in ["1.0", "1e2", "9223372036854775808", "-9223372036854775809"] {
      refuses(" \(number)", "expected a whole number of 64 bits") { _ = try $0.integer() }
    }
  }

  @Test("a key that is given twice is refused at every level, however it is spelled")
  func repeatedKeys() {
    for text in [#"{"a":0,"\u0061":0}"#, #"{"x":[{"a":0,"a":0}]}"#] {
      #expect(throws: JSONError.self, "\(text)") {
        var reader = try reader(text)
        try reader.skipValue()
      }
    }
  }

  @Test("values are counted, also those that are skipped")
  func count() throws {
    let text = #"{"a":[1,[],"x"],"b":null}"#
    for isSkipped in [false, true] {
      func read(_ values: Int) throws(JSONError) {
        var reader = try reader(text, values: values)
        if isSkipped { try reader.skipValue() } else { _ = try reader.value() }
        try reader.end()
      }
      try read(6)
      #expect(throws: JSONError.tooLarge(.values, limit: 5)) { try read(5) }
    }
  }
}
