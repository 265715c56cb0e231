// SPDX-License-Identifier: Apache-2.0
import PetEngine
import PetInference
import Testing

/// The matrix of DocC `Determinism`, by kernels: what a reply may depend on and what it may not.
@Suite("Kernels and threads", .timeLimit(.minutes(5)))
struct KernelDeterminismTests {
  private static let lines = [
    "Your kettle has a lid of brass.", "my train was two hours late", "What is bigger, a mouse or a horse?",
  ]
  /// Of a log probability, in nats. Measured: see DocC.
  private static let largestDifference: Float = 0.1

  private func replies(_ variant: KernelVariant, threads: Int) async throws -> [Generation] {
    var load = LanguageModel.LoadOptions(threadCount: threads, contextLength: 512)
    load.kernelVariant = variant
    let model = try LanguageModel.builtIn(load)
    var options = GenerationOptions.greedy(maximumTokens: 40)
    options.likeliestTold = 1
    var replies: [Generation] = []
    for line in Self.lines {
      let session = try LanguageModelSession(
        model: model, instructions: "Mochi, cat-dragon, playful and warm\nfed, awake, happy")
      replies.append(Generation(try await session.respond(to: line, options: options)))
    }
    return replies
  }

  private struct Generation: Equatable {
    let tokens: [Int32]
    let probabilities: [Float]

    init(_ result: GenerationResult) {
      tokens = result.tokens
      probabilities = result.probabilities.map(\.chosen.logProbability)
    }
  }

  @Test(
    "one variant says the same, bit for bit, on any number of threads",
    arguments: KernelVariant.allCases.filter(\.isAvailable))
  func threads(_ variant: KernelVariant) async throws {
    let one = try await replies(variant, threads: 1)
    #expect(one.allSatisfy { $0.tokens.count > 3 && $0.tokens.count == $0.probabilities.count })
    for threads in [2, 3, 5] { #expect(try await replies(variant, threads: threads) == one, "\(threads) threads") }
  }

  @Test("between variants probabilities differ by no more than they were measured to")
  func variants() async throws {
    let reference = try await replies(.scalar, threads: 1)
    for variant in KernelVariant.allCases.filter(\.isAvailable) where variant != .scalar {
      let other = try await replies(variant, threads: 1)
      var (largest, same, compared): (Float, Int, Int) = (0, 0, 0)
      for (own, others) in zip(reference, other) {
        // Behind the first word that differs another text goes on.
        let alike = zip(own.tokens, others.tokens).prefix { $0 == $1 }.count
        for (a, b) in zip(own.probabilities, others.probabilities).prefix(alike) { largest = max(largest, abs(a - b)) }
        (same, compared) = (same + alike, compared + own.tokens.count)
      }
      #expect(
        largest <= Self.largestDifference && same > 10,
        "\(variant): \(same) of \(compared) tokens are the same, largest difference \(largest)")
    }
  }
}
