// SPDX-License-Identifier: Apache-2.0
import Foundation
import PetClassifiers
import PetRuntime
import Testing

/// What Training/classifiers/stress_reference.R wrote: R solves the matrices itself and integrates the probabilities.
@Suite("Parent stress against R")
struct StressGoldenTests {
  private struct Golden: Decodable {
    let quality: ModelQuality
    let signals: [String]
    let values: [Double]
    let used: [String]
    let effects: [Double]
    let probabilities: [Double]
  }

  private static let goldens: [Golden] = {
    let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "stress.json")
    return (try? JSONDecoder().decode([Golden].self, from: Data(contentsOf: url))) ?? []
  }()

  @Test("there are goldens of every quality and level")
  func coverage() {
    #expect(Set(Self.goldens.map(\.quality)) == Set(ModelQuality.allCases))
    let likeliest = Self.goldens.map { golden in
      golden.probabilities.indices.max { golden.probabilities[$0] < golden.probabilities[$1] }
    }
    #expect(Set(likeliest) == [0, 1, 2])
  }

  @Test("probabilities, and the three signals that weighed most", arguments: Self.goldens.indices)
  func agreement(_ index: Int) throws {
    let golden = Self.goldens[index]
    let signals = try StressSignals(Dictionary(uniqueKeysWithValues: zip(golden.signals, golden.values)))
    let result = try StressFile().classifier().assess(signals, quality: golden.quality)
    #expect(Set(result.used) == Set(golden.used))
    for (level, expected) in zip(StressLevel.allCases, golden.probabilities) {
      #expect(abs(try #require(result.probabilities[level]) - expected) < 1e-5, "\(level)")
    }
    let effects = zip(golden.used, golden.effects).sorted { abs($0.1) > abs($1.1) }.prefix(3)
    #expect(result.factors.map(\.signal) == effects.map(\.0))
    for (factor, effect) in zip(result.factors, effects) {
      #expect(abs(factor.effect - effect.1) < 1e-4)
      #expect(factor.direction == (effect.1 > 0 ? .raises : .lowers))
    }
  }
}
