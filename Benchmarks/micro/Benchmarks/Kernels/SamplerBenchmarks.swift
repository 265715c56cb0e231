// SPDX-License-Identifier: Apache-2.0
import PetInference

/// Choosing a token out of a vocabulary of SmolLM2's size.
func registerSamplerBenchmarks() {
  let vocabulary = 49152
  for (name, temperature, penalty) in [
    ("greedy", Float(0), Float(1)), ("top-k 40, top-p, min-p", 0.8, 1), ("with repetition penalty", 0.8, 1.1),
  ] {
    measure(
      "sampler, \(name)", Work(bytes: Double(4 * vocabulary), roof: .reading(bytes: 4 * vocabulary))
    ) {
      let logits = Memory.floats(vocabulary)
      guard let options = try? Sampler.Options(temperature: temperature, repetitionPenalty: penalty, seed: 1) else {
        fatalError("the sampler refuses its options")
      }
      var sampler = Sampler(options)
      let history = (0..<64).map { Int32($0) }
      return {
        let token = try? sampler.sample(UnsafeBufferPointer(start: logits, count: vocabulary), history: history[...])
        if token == nil { fatalError("nothing sampled") }
      }
    }
  }
}
