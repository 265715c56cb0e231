// SPDX-License-Identifier: Apache-2.0
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The probability of speech in each 32 ms of a sound, with a memory of what came before.
///
/// Network and weights: Silero VAD 6.2, https://github.com/snakers4/silero-vad (MIT): a learned short-time spectrum,
/// four convolutions, an LSTM cell. About 0.7 million multiplications per piece.
package struct VoiceActivityDetector: Sendable {
  /// Samples of 16,000 per second in one piece.
  package static let piece = 512
  /// Samples of the piece before that are read again.
  package static let context = 64

  private let weights: VoiceActivityWeights
  private var before = [Float](repeating: 0, count: Self.context)
  private var hidden = [Float](repeating: 0, count: VoiceActivityWeights.cells)
  private var cell = [Float](repeating: 0, count: VoiceActivityWeights.cells)

  package init(weights: VoiceActivityWeights) { self.weights = weights }

  /// The probability of speech in the next `piece` samples.
  /// - Throws: `ClassifierError.invalidInput` where there are more or fewer.
  package mutating func probability(of samples: ArraySlice<Float>) throws(ClassifierError) -> Float {
    guard samples.count == Self.piece else {
      throw .invalidInput("\(samples.count) samples; voice activity is found in \(Self.piece)")
    }
    let input = before + samples
    before = Array(samples.suffix(Self.context))
    // 576 samples -> 640, the end mirrored.
    let mirrored = input + input.dropLast().suffix(Self.context).reversed()
    var features = spectrum(mirrored)
    for layer in weights.convolutions { features = layer.applied(to: features) }
    step(features)
    let activated = hidden.map { max($0, 0) }
    return Self.sigmoid(innerProduct(activated, weights.output, count: activated.count) + weights.outputBias)
  }

  /// Magnitudes, (4 times, 129 frequencies).
  private func spectrum(_ samples: [Float]) -> [Float] {
    let bins = VoiceActivityWeights.bins
    let window = VoiceActivityWeights.window
    var magnitudes: [Float] = []
    magnitudes.reserveCapacity(4 * bins)
    samples.withUnsafeBufferPointer { samples in
      weights.spectrum.withUnsafeBufferPointer { basis in
        guard let samples = samples.baseAddress, let basis = basis.baseAddress else { return }
        for time in 0..<4 {
          for bin in 0..<bins {
            let real = innerProduct(samples + time * 128, basis + bin * window, count: window)
            let imaginary = innerProduct(samples + time * 128, basis + (bins + bin) * window, count: window)
            magnitudes.append((real * real + imaginary * imaginary).squareRoot())
          }
        }
      }
    }
    return magnitudes
  }

  /// One step of the LSTM cell; gates in the order input, forget, cell, output.
  private mutating func step(_ input: [Float]) {
    let cells = VoiceActivityWeights.cells
    let both = input + hidden
    var gates = weights.gateBias
    both.withUnsafeBufferPointer { both in
      weights.gates.withUnsafeBufferPointer { matrix in
        guard let both = both.baseAddress, let matrix = matrix.baseAddress else { return }
        for row in 0..<(4 * cells) {
          gates[row] += innerProduct(matrix + row * 2 * cells, both, count: 2 * cells)
        }
      }
    }
    for index in 0..<cells {
      let kept = Self.sigmoid(gates[cells + index]) * cell[index]
      cell[index] = kept + Self.sigmoid(gates[index]) * tanh(gates[2 * cells + index])
      hidden[index] = Self.sigmoid(gates[3 * cells + index]) * tanh(cell[index])
    }
  }

  private static func sigmoid(_ value: Float) -> Float { 1 / (1 + exp(-value)) }
}
