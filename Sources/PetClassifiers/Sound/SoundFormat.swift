// SPDX-License-Identifier: Apache-2.0
/// What raw samples mean.
public struct SoundFormat: Sendable, Equatable {
  /// Frames per second that are taken.
  public static let rates = 4_000...384_000
  /// More channels than this are taken for a broken header.
  package static let mostChannels = 64

  public let encoding: SampleEncoding
  public let channels: Int
  /// Frames (one sample of each channel) per second.
  public let rate: Int

  /// - Throws: `ClassifierError.invalidInput` where a number is out of range.
  public init(encoding: SampleEncoding, channels: Int = 1, rate: Int) throws(ClassifierError) {
    guard (1...Self.mostChannels).contains(channels) else {
      throw .invalidInput("\(channels) channels; 1 to \(Self.mostChannels) are possible")
    }
    guard Self.rates.contains(rate) else {
      let (least, most) = (Self.rates.lowerBound, Self.rates.upperBound)
      throw .invalidInput("\(rate) frames per second; \(least) to \(most) are possible")
    }
    self.encoding = encoding
    self.channels = channels
    self.rate = rate
  }

  /// Bytes of one frame.
  package var frameSize: Int { channels * encoding.size }
}
