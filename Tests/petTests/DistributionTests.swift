// SPDX-License-Identifier: Apache-2.0
import Testing
import pet

@Suite("Median and percentiles")
struct DistributionTests {
  private static func milliseconds(_ values: [Int]) -> Distribution { Distribution(values.map { .milliseconds($0) }) }

  @Test("the median of an even count lies half-way between the middle two")
  func median() {
    #expect(Self.milliseconds([9]).median == .milliseconds(9))
    #expect(Self.milliseconds([9, 1, 5]).median == .milliseconds(5))
    #expect(Self.milliseconds([9, 1, 5, 6]).median == .microseconds(5500))
  }

  @Test("nearest rank: of 1...100 the p-th percentile is p; of few values a high one is the largest")
  func percentiles() {
    let hundred = Self.milliseconds(Array((1...100).reversed()))
    for percent in [1, 50, 95, 99, 100] { #expect(hundred.percentile(percent) == .milliseconds(percent)) }
    // The worked example of the definition: ordered 15, 20, 35, 40, 50.
    let five = Self.milliseconds([35, 20, 15, 50, 40])
    for (percent, expected) in [(5, 15), (30, 20), (40, 20), (50, 35), (100, 50)] {
      #expect(five.percentile(percent) == .milliseconds(expected))
    }
    #expect(five.shortest == .milliseconds(15) && five.longest == .milliseconds(50))
    #expect(five.percentile(0) == five.shortest)
  }
}
