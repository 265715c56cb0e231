// SPDX-License-Identifier: Apache-2.0
import PetJSON
import SeededGenerator
import Testing

@Suite("JSON of strangers")
struct JSONHostileTests {
  @Test("deep nesting is an error, not the end of the stack", arguments: ["[", "{\"a\":", "[{\"a\":["])
  func nesting(_ opening: String) {
    let deep = Array(String(repeating: opening, count: 100_000).utf8)
    let limits = JSONLimits(nesting: 32)
    #expect(throws: JSONError.tooLarge(.nesting, limit: 32)) { try JSONValue(parsing: deep, limits: limits) }
    #expect(throws: JSONError.tooLarge(.nesting, limit: 32)) {
      var reader = try JSONReader(deep, limits: limits)
      try reader.skipValue()
    }
  }

  @Test("nesting up to the limit is read, and lists side by side do not add up")
  func levels() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    let limits = JSONLimits(nesting: 8)
    _ = try JSONValue(parsing: nested(8), limits: limits)
    #expect(throws: JSONError.tooLarge(.nesting, limit: 8)) { try JSONValue(parsing: nested(9), limits: limits) }
    let siblings = "[" + [String](repeating: "[{}]", count: 1000).joined(separator: ",") + "]"
    _ = try JSONValue(parsing: Array(siblings.utf8), limits: JSONLimits(nesting: 3))
  }

  @Test("bytes and values are limited before they are taken")
  func sizes() {
    let spaces = [UInt8](repeating: 0x20, count: 1001)
    #expect(throws: JSONError.tooLarge(.bytes, limit: 1000)) {
      try JSONValue(parsing: spaces, limits: JSONLimits(bytes: 1000, nesting: 8))
    }
    let many = Array(("[" + String(repeating: "0,", count: 1000) + "0]").utf8)
    #expect(throws: JSONError.tooLarge(.values, limit: 1000)) {
      try JSONValue(parsing: many, limits: JSONLimits(nesting: 8, values: 1000))
    }
  }

  @Test("a hundred thousand keys, and keys that share their beginning, are read in time", .timeLimit(.minutes(1)))
  func manyKeys() throws {
    let start = String(repeating: "k", count: 100)
    let members = (0..<100_000).map { "\"\(start)\($0)\":\($0)" }.joined(separator: ",")
    let object = try JSONValue(parsing: Array("{\(members)}".utf8), limits: JSONLimits(nesting: 1)).object
    #expect(object?.members.count == 100_000 && object?[Array("\(start)99999".utf8)]?.integer == 99_999)
  }

  @Test(
    "an exponent of any size is no work", arguments: ["1e99999999999999999999", "1e-99999999999999999999", "0e400"])
  func exponents(_ text: String) throws {
    let value = try JSONValue(parsing: Array(text.utf8), limits: JSONLimits(nesting: 1))
    #expect(value.compactText == text && value == value && value.integer == nil)
    _ = value.hashValue
  }

  /// The two ways to read agree, and what was read is read again from what is written.
  @Test("each prefix and each damaged byte is refused or read, never a trap")
  func damage() throws {
    let good = Array(
      #"{"a\u00e9":[1.5e-3,-0,"\ud83d\ude00\n",{"b":null}],"é":{"c":true,"d":[false,[]]},"e":"\\"}"#.utf8)
    let limits = JSONLimits(bytes: 1000, nesting: 4, values: 20)
    for length in 0..<good.count {
      #expect(throws: JSONError.self) { try JSONValue(parsing: Array(good[..<length]), limits: limits) }
    }
    var random = SeededGenerator(seed: 11)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1: bytes.insert(good[Int.random(in: 0..<good.count, using: &random)], at: place)
        default: bytes.remove(at: place)
        }
      }
      let whole = Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
      let skipped = Result { () throws(JSONError) in
        var reader = try JSONReader(bytes, limits: limits)
        try reader.skipValue()
        try reader.end()
      }
      switch (whole, skipped) {
      case (.success(let value), .success):
        accepted += 1
        for written in [value.compact, value.indented] {
          #expect(try JSONValue(parsing: written, limits: JSONLimits(nesting: 4)) == value)
        }
      case (.failure(let error), .failure(let other)):
        // An object that is built is compared with its keys after a member, one that is skipped before it.
        if case .syntax(_, _, "a key is given twice") = other { break }
        #expect(error == other)
      default: Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(whole), \(skipped)")
      }
    }
    #expect((500..<19_500).contains(accepted))
  }
}
