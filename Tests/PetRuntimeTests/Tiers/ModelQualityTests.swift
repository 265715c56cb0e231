// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

@Suite("Tiers and their names")
struct ModelQualityTests {
  @Test("an order, with a way down and a way up")
  func order() throws {
    #expect(ModelQuality.low < .medium && ModelQuality.medium < .high && !(ModelQuality.high < .high))
    #expect(ModelQuality.high.degrade() == .medium && ModelQuality.medium.degrade() == .low)
    #expect(ModelQuality.low.degrade() == nil && ModelQuality.high.restore() == nil)
    for quality in ModelQuality.allCases {
      if let lower = quality.degrade() { #expect(lower < quality && lower.restore() == quality) }
      if let higher = quality.restore() { #expect(higher > quality && higher.degrade() == quality) }
      #expect(quality.lowered(by: 0) == quality && quality.lowered(by: .min) == quality)
      #expect(quality.lowered(by: 1) == quality.degrade() ?? .low && quality.lowered(by: .max) == .low)
      #expect(PerformanceTier(quality).quality == quality)
    }
    let text = try JSONEncoder().encode(ModelQuality.allCases)
    #expect(String(decoding: text, as: UTF8.self) == #"["high","medium","low"]"#)
  }

  @Test("names are made and read back")
  func names() {
    #expect(TieredName(function: "PoseDetection", quality: .high)?.baseName == "PoseDetection_High")
    #expect(TieredName(baseName: "VocalAffect_Medium") == TieredName(function: "VocalAffect", quality: .medium))
    for function in ["PoseDetection", "pet-135m", "phi3.mini", "A_High", "x", "9", "_"] {
      for quality in ModelQuality.allCases {
        let name = TieredName(function: function, quality: quality)
        #expect(name?.function == function && name?.quality == quality)
        #expect(name.flatMap { TieredName(baseName: $0.baseName) } == name && name != nil)
      }
    }
  }

  @Test(
    "what is no name",
    arguments: [
      "", "_", "_High", "PoseDetection", "PoseDetection_high", "PoseDetection_HIGH", "PoseDetection_",
      "PoseDetectionHigh",
      "../x_High", "a/b_Low", ".x_Low", "-x_Low", "é_Low", "a b_Low", "x_Low.gguf",
    ])
  func noName(text: String) {
    #expect(TieredName(baseName: text) == nil)
  }

  @Test("a function that could leave its folder has no name")
  func unsafe() {
    for function in ["", "..", "../x", "a/b", "a\0b", String(repeating: "a", count: 125)] {
      #expect(TieredName(function: function, quality: .high) == nil)
    }
  }
}
