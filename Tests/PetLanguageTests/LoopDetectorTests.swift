// SPDX-License-Identifier: Apache-2.0
import PetLanguage
import Testing

@Suite struct LoopDetectorTests {
  @Test(arguments: [1, 2, 7, 12, 40]) func noticesRepeatedPhrases(_ period: Int) {
    let phrase = (0..<Int32(period)).map { $0 + 100 }
    let start: [Int32] = [1, 2, 3, 4, 5]
    let repeats = period == 1 ? 64 : max(3, (24 + period - 1) / period)
    #expect(LoopDetector.isLooping(start + Array(repeating: phrase, count: repeats).flatMap { $0 }))
    #expect(!LoopDetector.isLooping(start + Array(repeating: phrase, count: 2).flatMap { $0 }))
  }

  @Test func leavesTextAlone() {
    #expect(!LoopDetector.isLooping([]))
    #expect(!LoopDetector.isLooping((0..<500).map { Int32($0 % 41) }))
    #expect(!LoopDetector.isLooping(Array(repeating: 7, count: 63)))
    var random = SystemRandomNumberGenerator()
    #expect(!LoopDetector.isLooping((0..<500).map { _ in Int32.random(in: 0...5_000, using: &random) }))
  }
}
