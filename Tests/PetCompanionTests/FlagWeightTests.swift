// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a model's flag of danger adds to the classifier")
struct FlagWeightTests {
  private func least(_ likelihood: Float, _ threshold: Float = 0.4) throws -> Float {
    guard case .above(let flag) = FlagWeight(classifier: likelihood, threshold: threshold) else {
      throw Missing()
    }
    return flag
  }

  private struct Missing: Error {}

  @Test("the surer the classifier, the less of a flag is needed; sure by itself, or sure of none, it decides alone")
  func growing() throws {
    let flags = try stride(from: Float(0.1), to: 0.9, by: 0.1).map { try least($0) }
    #expect(flags == flags.sorted(by: >) && flags.allSatisfy { 0 < $0 && $0 < 1 })
    for sure: Float in [0.95, 1, 2] { #expect(FlagWeight(classifier: sure, threshold: 0.4) == .needless) }
    for none: Float in [0.001, 0, -1] { #expect(FlagWeight(classifier: none, threshold: 0.4) == .nothing) }
    #expect(try least(0.5, 0.35) < least(0.5, 0.4))
  }

  @Test("both together are a logistic regression on the logarithms of their odds")
  func formula() throws {
    // log(0.4 / 0.6) - 0.890 = -1.2955, divided by 0.354: -3.6595 at even odds of the classifier.
    #expect(abs(try least(0.5) - 0.02510) < 0.0001)
  }

  @Test("a flag has a say where the classifier finds danger as likely as not, and then only a sure one")
  func lines() {
    let detector = DangerDetector()
    for line in ["we had soup and bread", "the sink is choking again, hair i suppose"] {
      #expect(detector.reading(of: line).weightOfFlag() == .nothing, "\(line)")
    }
    #expect(detector.reading(of: "i want to kill myself").weightOfFlag() == .needless)
    // Letters that it does not know: it saw nothing, and clears nothing.
    let unread = detector.reading(of: "\u{1D408} \u{1D430}\u{1D41A}\u{1D427}\u{1D42D}", after: ["my dad hits me"])
    #expect(unread.finding() == nil && unread.weightOfFlag() != .nothing)
    let reading = detector.reading(of: "he's in there now. i can hear him")
    #expect(reading.finding() == nil)
    guard case .above(let adult) = reading.weightOfFlag() else {
      Issue.record("no flag has a say")
      return
    }
    #expect(adult >= 0.7)
    // Children are heard sooner, never later.
    switch reading.weightOfFlag(profile: .minor) {
    case .needless: #expect(reading.finding(profile: .minor) != nil)
    case .above(let minor): #expect(minor <= adult)
    case .nothing: Issue.record("a flag has no say for a child")
    }
  }
}
