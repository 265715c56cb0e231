// SPDX-License-Identifier: Apache-2.0
/// Turns raw samples that come in pieces into one channel of 16,000 per second.
package struct SoundDecoder: ~Copyable {
  /// Frames that are decoded at a time.
  private static let block = 8_192
  /// Floating point may exceed full scale; beyond this (24 dB) it is another unit.
  private static let loudest: Float = 16

  package let format: SoundFormat
  private var converter: SampleRateConverter?

  /// - Throws: `ClassifierError.invalidInput` where the rate cannot be converted.
  package init(format: SoundFormat) throws(ClassifierError) {
    self.format = format
    converter = format.rate == Waveform.rate ? nil : try SampleRateConverter(from: format.rate, to: Waveform.rate)
  }

  /// Decodes whole frames and adds what is ready to `output`. O(bytes).
  /// - Throws: `ClassifierError.invalidInput` for a sample that is not finite or far beyond full scale.
  package mutating func decode(_ bytes: RawSpan, isLast: Bool, into output: inout [Float]) throws(ClassifierError) {
    let frames = bytes.byteCount / format.frameSize
    var start = 0
    repeat {
      let count = min(Self.block, frames - start)
      var mono: [Float] = []
      mono.reserveCapacity(count)
      for frame in start..<(start + count) {
        var sum: Float = 0
        for channel in 0..<format.channels {
          let sample = format.encoding.sample(
            in: bytes, at: frame * format.frameSize + channel * format.encoding.size)
          try Self.check(sample)
          sum += sample
        }
        mono.append(sum / Float(format.channels))
      }
      start += count
      if converter == nil {
        output.append(contentsOf: mono)
      } else {
        try converter?.convert(mono, isLast: isLast && start == frames, into: &output)
      }
    } while start < frames
  }

  package static func check(_ sample: Float) throws(ClassifierError) {
    guard sample.isFinite else { throw .invalidInput("a sample that is not a number") }
    guard abs(sample) <= loudest else { throw .invalidInput("a sample of \(sample); full scale is -1 to 1") }
  }
}
