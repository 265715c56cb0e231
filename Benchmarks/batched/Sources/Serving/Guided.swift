// SPDX-License-Identifier: Apache-2.0
import PetInference
import PetLanguage

/// What a grammar costs a token: replies with one beside replies without, in turns.
struct Guided {
  struct Report: Encodable {
    let free: Double
    let guided: Double
    /// Part of the speed that the grammar costs.
    let cost: Double
    /// The first reply with a grammar that nobody has used.
    let firstTime: Double

    enum CodingKeys: String, CodingKey {
      case cost
      case free = "free_tps"
      case guided = "guided_tps"
      case firstTime = "first_time_tps"
    }
  }

  let model: LanguageModel
  let rounds: Int

  /// Nothing of it is certain, so that every token is computed.
  private static let schema = #"{"type":"array","minItems":100,"items":{"type":"string","minLength":4,"maxLength":60}}"#

  func measure() async throws -> Report {
    var options = GenerationOptions(temperature: 1, maximumTokens: 96, seed: 7)
    options.stopsAtEnd = false
    options.speculates = false
    let grammar = try model.outputGrammar(jsonSchema: Self.schema)
    _ = try await speed(options)
    var (free, guided): ([Double], [Double]) = ([], [])
    for _ in 0..<max(1, rounds) + 1 {
      options.grammar = nil
      free.append(try await speed(options))
      options.grammar = grammar
      guided.append(try await speed(options))
    }
    let first = guided.removeFirst()
    free.removeFirst()
    let medians = (Self.median(free), Self.median(guided))
    return Report(
      free: medians.0, guided: medians.1, cost: ((1 - medians.1 / medians.0) * 1000).rounded() / 1000, firstTime: first)
  }

  private func speed(_ options: GenerationOptions) async throws -> Double {
    await model.clearCache()
    let result = try await model.complete("Some words:", options)
    return (result.timings.decodeTokensPerSecond * 10).rounded() / 10
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
