// SPDX-License-Identifier: Apache-2.0
import PetClassifiers
import PetRuntime
import Testing

@Suite("Tables of stress signals")
struct StressSignalsTests {
  @Test("CSV, JSON and values in memory are the same table")
  func forms() throws {
    let values = try StressSignals(observations: [["tired": 2, "happy": 1], ["tired": 3]])
    #expect(try StressSignals(csvText: "tired,happy\n2,1\n3,\n") == StressSignals(csvText: "tired,happy\n2,1\n3,NA"))
    let classifier = try StressFile().classifier()
    let expected = try classifier.assess(values)
    #expect(try classifier.assess(StressSignals(csvText: "happy,tired\n1,2\n,3\n")) == expected)
    #expect(
      try classifier.assess(StressSignals(jsonText: #"[{"tired": 2, "happy": 1}, {"tired": 3, "happy": null}]"#))
        == expected)
  }

  @Test("the kind of a table is seen from its beginning")
  func kinds() throws {
    let csv = try StressSignals(Array("tired\n2".utf8))
    #expect(try StressSignals(Array(" \n{\"tired\": 2}".utf8)) == csv)
    #expect(try StressSignals(Array("[{\"tired\": 2.0}]".utf8)) == csv)
  }

  @Test(
    "spellings of CSV",
    arguments: [
      "tired,wide_awake\n2,1\n", "tired,wide_awake\r\n2,1\r\n", "\u{FEFF}tired,wide_awake\n2,1",
      "\"tired\",\"wide_awake\"\n\"2\",\"1\"",
      " Tired , wide.awake \n 2 ,\t1", "\n\ntired,wide-awake\n\n2,1\n \n", "TIRED,Wide Awake\n2.0,1e0",
    ])
  func spellings(_ text: String) throws {
    #expect(try StressSignals(csvText: text) == StressSignals(["tired": 2, "wide_awake": 1]))
  }

  @Test("quotes keep commas, line ends and doubled quotes")
  func quotes() throws {
    let signals = try StressSignals(csvText: "tired,\"a \"\"note\"\",\nlong\"\n2,\"x,\r\ny\"\n")
    let result = try StressFile().classifier().assess(signals)
    #expect(result.used == ["tired"])
    #expect(result.ignored == ["a_\"note\",\nlong"])
  }

  @Test("the order of observations does not matter, and they count as their mean")
  func mean() throws {
    let classifier = try StressFile().classifier()
    let several = try classifier.assess(StressSignals(csvText: "tired,lonely\n0,1\n3,1\n3,\n"))
    let turned = try classifier.assess(StressSignals(csvText: "tired,lonely\n3,\n3,1\n0,1\n"))
    let once = try classifier.assess(StressSignals(["tired": 2, "lonely": 1]))
    #expect(several == turned)
    #expect(several.probabilities == once.probabilities)
    #expect(several.notices.contains { $0.contains("mean of 3 observations") })
    #expect(!once.notices.contains { $0.contains("observations") })
  }
}
