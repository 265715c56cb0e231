// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetRuntime
import SeededGenerator
import Testing

@Suite("Tables that are none")
struct StressHostileTests {
  private func refuses(
    _ bytes: [UInt8], _ reason: String, _ place: SourceLocation = #_sourceLocation
  ) throws {
    let classifier = try StressFile().classifier()
    let error = #expect(throws: ClassifierError.self, sourceLocation: place) {
      try classifier.assess(StressSignals(bytes))
    }
    guard case .invalidInput(let said) = error else {
      Issue.record("\(String(describing: error)) is no invalid input", sourceLocation: place)
      return
    }
    #expect(said.contains(reason), sourceLocation: place)
  }

  @Test(
    "JSON of another form",
    arguments: [
      ("{", "no JSON"), ("{}", "none of the signals"), ("[]", "none of the signals"), ("[1]", "element 1"),
      ("[{\"tired\":1},[]]", "element 2"), ("{\"tired\":1} x", "no JSON"), ("{\"tired\":1,}", "no JSON"),
      ("{\"tired\":\"2\"}", "not a number"), ("{\"tired\":true}", "not a number"), ("{\"tired\":[2]}", "not a number"),
      ("{\"tired\":NaN}", "no JSON"), ("{\"tired\":1e999}", "not from 0"), ("{\"tired\":-0.1}", "not from 0"),
      ("{\"tired\":3.01}", "not from 0"), ("{\"tired\":1,\"tired\":2}", "twice"),
      ("{\"tired\":1,\"Tired\":2}", "twice"),
      ("{\"tired\":null}", "none of the signals"), ("[{\"tired\":2},{\"tired\":{}}]", "observation 2"),
      ("{\"calm\":1,\"tense\":3}", "none of the signals"), ("{\"tired\":1e-99999999999}{", "no JSON"),
    ])
  func json(_ text: String, _ reason: String) throws { try refuses(Array(text.utf8), reason) }

  @Test(
    "CSV of another form",
    arguments: [
      ("", "empty"), (" \n\r\n", "empty"), ("tired", "no observation"), ("tired\n\n", "no observation"),
      ("tired,happy\n1", "line 2 has 1 cells"), ("tired\n1\n1,2", "line 3"), ("tired,tired\n1,1", "twice"),
      ("tired, TIRED\n1,1", "twice"), ("tired\nvery", "not a number"), ("tired\n1;2", "not a number"),
      ("tired\nnan", "not a number"), ("tired\ninf", "not a number"), ("tired\n0x1", "not a number"),
      ("tired\n1 2", "not a number"), ("tired\n9", "not from 0"), ("tired\n-1", "not from 0"),
      ("tired\n\"1", "not closed"), ("tired\n\"1\"2", "closing quote"), ("tired\n1\"", "quote within"),
      ("tired;happy\n1;2", "none of the signals"), ("tired\n\n\n\"\n", "line 4"), ("tired\r1\r2", "closing quote"),
      ("GIF89a,PK\u{3}\u{4}\n1,2", "none of the signals"), ("tired\n1\u{0}", "not a number"),
    ])
  func csv(_ text: String, _ reason: String) throws { try refuses(Array(text.utf8), reason) }

  @Test("what is no UTF-8, too long, too wide, too deep or too old")
  func large() throws {
    try refuses(Array("tired\n1\n".utf8) + [0xFF], "not UTF-8")
    try refuses([UInt8(ascii: "{"), UInt8(ascii: "\""), 0xC0, 0x80], "not UTF-8")
    try refuses([UInt8](repeating: UInt8(ascii: "1"), count: 10_000_000), "bytes")
    try refuses([UInt8](repeating: UInt8(ascii: "["), count: 10_000_000), "bytes")
    try refuses([UInt8](repeating: UInt8(ascii: "["), count: 100_000), "nesting")
    try refuses(Array(("tired\n" + String(repeating: "1\n", count: 1025)).utf8), "1024 observations")
    try refuses(Array(("[" + String(repeating: "{},", count: 1024) + "{\"tired\":1}]").utf8), "1024 observations")
    try refuses(Array(((0...256).map { "c\($0)" }.joined(separator: ",") + "\n").utf8), "256 different")
    try refuses(Array(("{" + (0...256).map { "\"c\($0)\":1" }.joined(separator: ",") + "}").utf8), "256 different")
    try refuses(Array((String(repeating: "n", count: 65) + "\n1").utf8), "64 bytes")
  }

  @Test("values in memory are checked as those of a file")
  func memory() throws {
    let classifier = try StressFile().classifier()
    for value in [Double.nan, .infinity, -.infinity, 3.5, -1, .greatestFiniteMagnitude] {
      #expect(throws: ClassifierError.self) { try classifier.assess(StressSignals(["tired": value])) }
    }
    #expect(throws: ClassifierError.self) { try StressSignals(["tired": 1, "Tired": 2]) }
  }

  @Test("a damaged table is refused as invalid input, or gives probabilities")
  func damaged() throws {
    let classifier = try StressFile().classifier()
    var random = SeededGenerator(seed: 5)
    let whole = [
      "tired,happy,note\r\n2,1,\"a, b\"\r\n,3,\"\"\r\n0.5,NA,x\r\n",
      #"[{"tired": 2, "happy": null}, {"lonely": 1.5e0, "x": [{}]}]"#,
    ].map { Array($0.utf8) }
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = whole[round % 2]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
        case 2 where bytes.count > 1: bytes.remove(at: place)
        default: bytes.removeSubrange((place + 1)...)
        }
      }
      do throws(ClassifierError) {
        let result = try classifier.assess(StressSignals(bytes), quality: .low)
        accepted += 1
        #expect(abs(result.probabilities.values.reduce(0, +) - 1) < 1e-12)
      } catch {
        guard case .invalidInput = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
    // Neither everything is refused nor nothing.
    #expect((1000..<19_000).contains(accepted))
  }
}
