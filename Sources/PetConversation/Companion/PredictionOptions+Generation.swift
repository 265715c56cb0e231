// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetLanguage

extension PredictionOptions {
  /// All of what changes a reply. Priority and time limits do not: an answer that was cut short is not kept.
  init(_ options: GenerationOptions) {
    let sampling = options.sampling
    self.init(
      temperature: sampling.temperature.value, topK: sampling.topK.count, topP: sampling.topP.mass,
      minP: sampling.minP.ratio, seed: sampling.seed, repetitionPenalty: sampling.repetition.penalty,
      repetitionWindow: sampling.repetition.window, frequencyPenalty: sampling.counts.frequency,
      presencePenalty: sampling.counts.presence, logitBias: sampling.bias.values, maximumTokens: options.maximumTokens,
      stopStrings: options.stopStrings, stopsAtEnd: options.stopsAtEnd, stopsAtLoop: options.stopsAtLoop,
      flags: options.flags?.tokens ?? [], flagThreshold: options.flags?.threshold ?? 1)
  }
}
