// SPDX-License-Identifier: Apache-2.0
import PetClassifiers

extension Waveform {
  /// From an array of bytes.
  init(pcmBytes bytes: [UInt8], format: SoundFormat) throws(ClassifierError) {
    self = try Waveform(pcm: bytes.span.bytes, format: format)
  }
}
