// SPDX-License-Identifier: Apache-2.0
/// The weights of the voice activity network, shared by all detectors. 1.2 MB.
package struct VoiceActivityWeights: Sendable {
  /// Frequencies of the learned spectrum, the samples of its window, and LSTM cells.
  package static let bins = 129
  package static let window = 256
  package static let cells = 128

  /// (258 parts, 256 samples): cosines, then sines, windowed.
  package let spectrum: [Float]
  package let convolutions: [TemporalConvolution]
  /// (512 gates, 256): weights of the input beside those of the state.
  package let gates: [Float]
  package let gateBias: [Float]
  package let output: [Float]
  package let outputBias: Float

  /// - Throws: `ClassifierError.invalidModel` and what the source throws.
  package init(_ source: some TensorSource) throws {
    spectrum = try source.finite("vad.spectrum.weight", count: 2 * Self.bins * Self.window)
    convolutions = [
      try TemporalConvolution(source, "vad.conv1", inputs: Self.bins, outputs: 128, stride: 1),
      try TemporalConvolution(source, "vad.conv2", inputs: 128, outputs: 64, stride: 2),
      try TemporalConvolution(source, "vad.conv3", inputs: 64, outputs: 64, stride: 2),
      try TemporalConvolution(source, "vad.conv4", inputs: 64, outputs: 128, stride: 1),
    ]
    gates = try source.finite("vad.lstm.weight", count: 8 * Self.cells * Self.cells)
    gateBias = try source.finite("vad.lstm.bias", count: 4 * Self.cells)
    output = try source.finite("vad.output.weight", count: Self.cells)
    outputBias = try source.finite("vad.output.bias", count: 1)[0]
  }
}
