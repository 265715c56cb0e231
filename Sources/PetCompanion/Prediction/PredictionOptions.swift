// SPDX-License-Identifier: Apache-2.0
/// The options of a reply that change what is said. How fast it is computed, for whom, and how long it may take are not among
/// them: a reply that was cut short by time or by the person must not be kept.
package struct PredictionOptions: Sendable, Equatable {
  /// 0: always the likeliest token; what only matters to a draw is then left out of the key.
  package var temperature: Float
  package var topK: Int
  package var topP: Float
  package var minP: Float
  package var seed: UInt64
  package var repetitionPenalty: Float
  /// In tokens.
  package var repetitionWindow: Int
  package var frequencyPenalty: Float
  package var presencePenalty: Float
  /// What is added to the logits of tokens.
  package var logitBias: [Int32: Float]
  package var maximumTokens: Int
  package var stopStrings: [String]
  package var stopsAtEnd: Bool
  package var stopsAtLoop: Bool
  /// The tokens by which the model may raise a flag instead of a reply, and how likely they must be.
  package var flags: [Int32]
  package var flagThreshold: Float

  package init(
    temperature: Float = 0, topK: Int = 40, topP: Float = 0.95, minP: Float = 0.05, seed: UInt64 = 0,
    repetitionPenalty: Float = 1, repetitionWindow: Int = 64, frequencyPenalty: Float = 0, presencePenalty: Float = 0,
    logitBias: [Int32: Float] = [:], maximumTokens: Int = 256, stopStrings: [String] = [],
    stopsAtEnd: Bool = true, stopsAtLoop: Bool = false, flags: [Int32] = [],
    flagThreshold: Float = 1
  ) {
    self.temperature = temperature
    self.topK = topK
    self.topP = topP
    self.minP = minP
    self.seed = seed
    self.repetitionPenalty = repetitionPenalty
    self.repetitionWindow = repetitionWindow
    self.frequencyPenalty = frequencyPenalty
    self.presencePenalty = presencePenalty
    self.logitBias = logitBias
    self.maximumTokens = maximumTokens
    self.stopStrings = stopStrings
    self.stopsAtEnd = stopsAtEnd
    self.stopsAtLoop = stopsAtLoop
    self.flags = flags
    self.flagThreshold = flagThreshold
  }

  package func append(to digest: inout KeyDigest) {
    digest.append(temperature == 0 ? 0 : 1)
    if temperature != 0 {
      for number in [temperature, topP, minP] { digest.append(number.bitPattern) }
      digest.append(topK)
      digest.append(seed)
    }
    digest.append(repetitionPenalty.bitPattern)
    digest.append(repetitionWindow)
    for number in [frequencyPenalty, presencePenalty] { digest.append(number.bitPattern) }
    let biased = logitBias.keys.sorted()
    digest.append(biased)
    for token in biased { digest.append((logitBias[token] ?? 0).bitPattern) }
    digest.append(maximumTokens)
    digest.append(stopStrings)
    digest.append(stopsAtEnd ? 1 : 0)
    digest.append(stopsAtLoop ? 1 : 0)
    digest.append(flags)
    digest.append(flagThreshold.bitPattern)
  }
}
