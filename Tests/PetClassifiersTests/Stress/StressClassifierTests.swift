// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetClassifiers
import PetRuntime
import Testing

@Suite("Parent stress")
struct StressClassifierTests {
  private let classifier: StressClassifier

  init() throws { classifier = try StressFile().classifier() }

  @Test("a lower quality looks at fewer of the same signals")
  func tiers() {
    let (high, medium, low) = (
      Set(classifier.signals()), Set(classifier.signals(.medium)), Set(classifier.signals(.low))
    )
    #expect((high.count, medium.count, low.count) == (65, 24, 8))
    #expect(low.isSubset(of: medium) && medium.isSubset(of: high))
    #expect(low == ["tired", "sleepy", "irritable", "frustrated", "distressed", "energetic", "happy", "lonely"])
  }

  @Test("what each quality leaves out is told and changes nothing")
  func leftOut() throws {
    let few = try classifier.assess(StressSignals(["tired": 1, "happy": 2]), quality: .low)
    let more = try classifier.assess(
      StressSignals(["tired": 1, "happy": 2, "serene": 3, "tense": 3, "steps": 9000]), quality: .low)
    #expect(more.probabilities == few.probabilities)
    #expect(few.ignored.isEmpty)
    #expect(Set(more.ignored) == ["serene", "tense", "steps"])
    #expect(more.notices.contains("Left out at this quality: serene."))
    #expect(more.notices.contains("Left out, as the levels are made of them: tense."))
    #expect(more.notices.contains("Left out, as the model does not know them: 1 columns."))
    #expect(try classifier.assess(StressSignals(["tired": 1, "happy": 2, "serene": 3])).used.contains("serene"))
  }

  @Test("missing signals are told")
  func imputed() throws {
    let result = try classifier.assess(StressSignals(["tired": 1, "happy": 2]), quality: .low)
    #expect(Set(result.imputed).union(result.used) == Set(classifier.signals(.low)))
    #expect(Set(result.used) == ["tired", "happy"])
    #expect(result.notices.contains { $0.hasPrefix("6 of 8 signals were not given") })
    let whole = try classifier.assess(
      StressSignals(Dictionary(uniqueKeysWithValues: classifier.signals().map { ($0, 1) })))
    #expect(whole.imputed.isEmpty)
    #expect(whole.notices.isEmpty)
    #expect(abs(whole.settled - 1) < 1e-6)
  }

  @Test("each further signal settles more, and little is said to be weak")
  func settled() throws {
    var values: [String: Double] = [:]
    var before = 0.0
    for name in classifier.signals() {
      values[name] = 1
      let result = try classifier.assess(StressSignals(values))
      #expect(result.settled > before - 1e-9)
      #expect(result.notices.contains { $0.contains("weak answer") } == (result.settled < 0.5))
      before = result.settled
    }
  }

  @Test("distress raises the level, happiness lowers it")
  func direction() throws {
    let high = try classifier.assess(
      StressSignals(["distressed": 3, "frustrated": 3, "irritable": 2, "happy": 0]), quality: .low)
    #expect(high.level == .high)
    #expect(high.factors.first?.signal == "distressed")
    #expect(high.factors.first?.direction == .raises)
    let low = try classifier.assess(
      StressSignals(["distressed": 0, "frustrated": 0, "irritable": 0, "happy": 3]), quality: .low)
    #expect(low.level == .low)
    #expect(low.factors.first?.signal == "happy")
    #expect(low.factors.first?.direction == .lowers)
    var before = 0.0
    for step in 0...30 {
      let result = try classifier.assess(StressSignals(["distressed": Double(step) / 10]))
      let probability = try #require(result.probabilities[.high])
      #expect(probability > before)
      before = probability
    }
  }

  @Test("every result carries the limits, and its JSON has the documented fields")
  func encoding() throws {
    let result = try classifier.assess(StressSignals(["tired": 1]), quality: .low)
    #expect(result.limits.hasPrefix("No diagnosis"))
    #expect(result.limits.contains("not on parents"))
    struct Reply: Decodable {
      struct Factor: Decodable { let signal, direction: String, value, usual, effect: Double }
      let level: String, probability: Double, probabilities: [String: Double], factors: [Factor], settled: Double
      let used, imputed, ignored, notices: [String], limits: String
    }
    let reply = try JSONDecoder().decode(Reply.self, from: JSONEncoder().encode(result))
    #expect(reply.level == result.level.rawValue)
    #expect(reply.probability == reply.probabilities.values.max())
    #expect(Set(reply.probabilities.keys) == ["low", "moderate", "high"])
    #expect(reply.factors.map(\.signal) == ["tired"])
    #expect(reply.limits == result.limits)
  }
}
