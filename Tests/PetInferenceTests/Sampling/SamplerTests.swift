// SPDX-License-Identifier: Apache-2.0
import PetInference
import Testing

@Suite struct SamplerTests {
  private func draw(
    _ logits: [Float], _ options: Sampler.Options, history: [Int32] = []
  ) throws -> Int32 {
    var sampler = Sampler(options)
    return try logits.withUnsafeBufferPointer { try sampler.sample($0, history: history[...]) }
  }

  /// How often each token is drawn.
  private func frequencies(_ logits: [Float], _ options: Sampler.Options, draws: Int = 20_000) throws -> [Double] {
    var sampler = Sampler(options)
    var counts = [Int](repeating: 0, count: logits.count)
    for _ in 0..<draws {
      let token = try logits.withUnsafeBufferPointer { try sampler.sample($0, history: []) }
      counts[Int(token)] += 1
    }
    return counts.map { Double($0) / Double(draws) }
  }

  private func plain(temperature: Float = 1, topK: Int = 0, topP: Float = 1, minP: Float = 0) throws -> Sampler.Options
  {
    try Sampler.Options(temperature: temperature, topK: topK, topP: topP, minP: minP, seed: 42)
  }

  // Probabilities 0.5, 0.25, 0.125, 0.125.
  private let logits: [Float] = [3, 2, 1, 1].map { $0 * 0.693_147_2 }

  @Test func greedyTakesTheLikeliestAndTheFirstOfEquals() throws {
    #expect(try draw([0, 3, 1, 3], plain(temperature: 0)) == 1)
    #expect(try draw([.nan, -1, .nan], plain(temperature: 0)) == 1)
  }

  @Test func drawsByProbability() throws {
    for (found, expected) in zip(try frequencies(logits, plain()), [0.5, 0.25, 0.125, 0.125]) {
      #expect(abs(found - expected) < 0.015)
    }
  }

  @Test func temperatureSharpens() throws {
    // Probabilities to the power of 2, renormalized: 16, 4, 1, 1 of 22.
    for (found, expected) in zip(try frequencies(logits, plain(temperature: 0.5)), [16.0, 4, 1, 1].map { $0 / 22 }) {
      #expect(abs(found - expected) < 0.015)
    }
  }

  @Test func topKKeepsTheLikeliest() throws {
    let found = try frequencies(logits, plain(topK: 2))
    #expect(found[2] == 0 && found[3] == 0)
    #expect(abs(found[0] - 2.0 / 3) < 0.015)
  }

  @Test func topPKeepsTheFewestThatReachTheMass() throws {
    #expect(try frequencies(logits, plain(topP: 0.5))[0] == 1)
    let found = try frequencies(logits, plain(topP: 0.51))
    #expect(found[1] > 0 && found[2] == 0 && found[3] == 0)
    #expect(try frequencies(logits, plain(topP: 0))[0] == 1)
  }

  @Test func minPIsRelativeToTheLikeliest() throws {
    let found = try frequencies(logits, plain(minP: 0.3))
    #expect(found[1] > 0 && found[2] == 0 && found[3] == 0)
  }

  @Test func repetitionPenaltyCountsTheWindowOnly() throws {
    let options = try Sampler.Options(
      temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 2, repetitionWindow: 2)
    #expect(try draw([1.5, 2, -1], options, history: [1, 0]) == 1)  // 0.75, 1, -1: order kept
    #expect(try draw([1.5, 2, -1], options, history: [1, 2]) == 0)  // 1.5, 1, -2
    #expect(try draw([1.5, 2, -1], options, history: [1, 2, 2]) == 1)  // token 1 is out of the window
  }

  /// A penalty takes the way over a list of all, and changes nothing where there is no history.
  /// Of logits 3, 2, 1, 1 in units of log 2.
  @Test func countsAndPresenceLowerTheLogitsOfTheReplyAlone() throws {
    func likeliest(frequency: Float = 0, presence: Float = 0, history: [Int32], reply: Int) throws -> Int32 {
      var sampler = Sampler(
        try Sampler.Options(temperature: 0, frequencyPenalty: frequency, presencePenalty: presence))
      return try logits.withUnsafeBufferPointer {
        try sampler.sample($0, history: history[...], replyCount: reply)
      }
    }
    // 3 log 2 - 0.7 = 1.379 is less than 2 log 2 = 1.386, and 3 log 2 - 0.69 = 1.389 is not.
    #expect(try likeliest(presence: 0.7, history: [0], reply: 1) == 1)
    #expect(try likeliest(presence: 0.69, history: [0], reply: 1) == 0)
    #expect(try likeliest(presence: 0.69, history: [0, 0, 0], reply: 3) == 0)
    #expect(try likeliest(frequency: 0.36, history: [0], reply: 1) == 0)
    #expect(try likeliest(frequency: 0.36, history: [0, 3, 0], reply: 3) == 1)
    // What was asked is not the reply.
    #expect(try likeliest(frequency: 2, presence: 2, history: [0, 0, 0, 3], reply: 1) == 0)
    #expect(try likeliest(frequency: -2, history: [3, 3], reply: 2) == 3)
  }

  @Test func biasAddsToLogitsAndRevivesNothing() throws {
    func biased(_ bias: [Int32: Float], _ logits: [Float]) throws -> Int32 {
      try draw(logits, try Sampler.Options(temperature: 0, logitBias: bias))
    }
    #expect(try biased([2: 1.38], logits) == 0)
    #expect(try biased([2: 1.39], logits) == 2)
    #expect(try biased([0: -100], logits) == 1)
    #expect(try biased([0: 100, 9: 100, -1: 100], [-.infinity, 0.5, 0.25]) == 1)
    let even = try frequencies(
      logits, try Sampler.Options(temperature: 1, topK: 0, topP: 1, minP: 0, logitBias: [0: -1.386_294, 1: -0.693_147]))
    for frequency in even { #expect(abs(frequency - 0.25) < 0.02) }
    #expect(throws: SamplingError.self) { try Sampler.Options(logitBias: [1: 101]) }
    #expect(throws: SamplingError.self) { try Sampler.Options(frequencyPenalty: .nan) }
    #expect(throws: SamplingError.self) { try Sampler.Options(presencePenalty: -2.1) }
  }

  @Test(arguments: [1, 3, 40, 500, 5000])
  func pickingTheLikeliestFirstChangesNothing(topK: Int) throws {
    var state: UInt64 = 7
    for round in 0..<40 {
      // Few different values, so that there are equals at every edge; some are no numbers.
      let logits = (0..<600).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407  // Knuth's MMIX
        let value = Float(state >> 58) / 8
        return value == 0 ? Float.nan : value == 0.125 ? -.infinity : value
      }
      func options(_ penalty: Float) throws -> Sampler.Options {
        try Sampler.Options(
          temperature: 0.7, topK: topK, topP: 0.95, minP: 0.01, repetitionPenalty: penalty, seed: UInt64(round))
      }
      #expect(try draw(logits, options(1)) == draw(logits, options(1.5)))
    }
    #expect(throws: SamplingError.self) { try draw([.nan, -.infinity], plain(topK: topK)) }
  }

  @Test func whatIsExcludedIsNotDrawn() throws {
    #expect(try draw([0, -.infinity, 5, -.infinity], plain(temperature: 0)) == 2)
    #expect(try draw([0, -.infinity, 5, -.infinity], plain(topK: 1)) == 2)
  }

  @Test func nothingToDraw() throws {
    #expect(throws: SamplingError.notANumber) { try draw([.nan, -.infinity], plain()) }
    #expect(throws: SamplingError.notANumber) { try draw([.nan, -.infinity], plain(temperature: 0)) }
  }

  @Test(arguments: [1e-38, 1e-20, 1e-3] as [Float]) func tinyTemperaturesTakeTheLikeliest(_ temperature: Float) throws {
    #expect(try draw([1, 9, 8.9, 0], plain(temperature: temperature)) == 1)
  }

  @Test func anInfiniteLogitIsTheLikeliest() throws {
    #expect(try draw([1, .infinity, 3], plain()) == 1)
    #expect(try draw([1, .infinity, 3], plain(temperature: 0.5)) == 1)
  }

  @Test func sameSeedSameDraws() throws {
    func sequence(_ seed: UInt64) throws -> [Int32] {
      var sampler = Sampler(try Sampler.Options(seed: seed))
      let logits = (0..<500).map { Float($0 % 17) / 4 }
      return try (0..<50).map { _ in try logits.withUnsafeBufferPointer { try sampler.sample($0, history: []) } }
    }
    #expect(try sequence(7) == sequence(7))
    #expect(try sequence(7) != sequence(8))
  }

  @Test func optionsOutOfRangeAreRefused() {
    #expect(throws: SamplingError.self) { try Sampler.Options(temperature: -0.1) }
    #expect(throws: SamplingError.self) { try Sampler.Options(temperature: .nan) }
    #expect(throws: SamplingError.self) { try Sampler.Options(topK: -1) }
    #expect(throws: SamplingError.self) { try Sampler.Options(topP: 1.01) }
    #expect(throws: SamplingError.self) { try Sampler.Options(minP: -1) }
    #expect(throws: SamplingError.self) { try Sampler.Options(repetitionPenalty: 0) }
  }

  /// Against a full sort, for random lists with many ties.
  @Test func keepBestAgreesWithSorting() {
    var random = RandomSource(seed: 3)
    for _ in 0..<200 {
      let count = Int.random(in: 1...300, using: &random)
      let logits = (0..<count).map { _ in Float(Int.random(in: 0...20, using: &random)) }
      let all = logits.withUnsafeBufferPointer { Candidates(logits: $0) }
      var sorted = all
      sorted.sort()
      var kept = all
      let keep = Int.random(in: 1...count, using: &random)
      kept.keepBest(keep)
      kept.sort()
      #expect(kept.entries == Array(sorted.entries.prefix(keep)))
    }
  }
}
