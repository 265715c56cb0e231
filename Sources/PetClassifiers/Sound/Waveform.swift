// SPDX-License-Identifier: Apache-2.0
/// A sound in the form that classifiers read: one channel, 16,000 samples per second, full scale at -1 and 1.
public struct Waveform: Sendable, Equatable {
  /// Samples per second.
  public static let rate = 16_000
  /// Seconds of the longest sound that is taken at once: 38 MB of samples. Longer ones go through a stream.
  public static let longest = 600

  public let samples: [Float]

  /// Length in seconds.
  public var duration: Double { Double(samples.count) / Double(Self.rate) }

  /// Samples that are in that form already.
  /// - Throws: `ClassifierError.invalidInput` for none, too many, or one that is not finite.
  public init(samples: [Float]) throws(ClassifierError) {
    guard !samples.isEmpty else { throw .invalidInput("a sound without samples") }
    try Self.check(frames: samples.count, rate: Self.rate)
    for sample in samples { try SoundDecoder.check(sample) }
    self.samples = samples
  }

  /// The sound in a WAV file, its channels averaged. Besides the result only small buffers are held.
  /// - Throws: `ClassifierError.invalidInput`.
  public init(wav bytes: RawSpan) throws(ClassifierError) {
    let file = try WAVFile(bytes)
    try self.init(pcm: bytes.extracting(file.samples), format: file.format)
  }

  /// The same of bytes in an array.
  /// - Throws: `ClassifierError.invalidInput`.
  public init(wav bytes: [UInt8]) throws(ClassifierError) { try self.init(wav: bytes.span.bytes) }

  /// The sound in raw samples, its channels averaged. Besides the result only small buffers are held.
  /// - Throws: `ClassifierError.invalidInput`, also where the bytes are no whole frames.
  public init(pcm bytes: RawSpan, format: SoundFormat) throws(ClassifierError) {
    guard bytes.byteCount > 0 else { throw .invalidInput("a sound without samples") }
    guard bytes.byteCount % format.frameSize == 0 else {
      throw .invalidInput("\(bytes.byteCount) bytes are no whole frames of \(format.frameSize)")
    }
    let frames = bytes.byteCount / format.frameSize
    try Self.check(frames: frames, rate: format.rate)
    var samples: [Float] = []
    samples.reserveCapacity(frames * Self.rate / format.rate + 1)
    var decoder = try SoundDecoder(format: format)
    try decoder.decode(bytes, isLast: true, into: &samples)
    guard !samples.isEmpty else { throw .invalidInput("a sound of \(frames) frames is too short") }
    self.samples = samples
  }

  private static func check(frames: Int, rate: Int) throws(ClassifierError) {
    guard frames / rate < longest else {
      throw .invalidInput("a sound of \(frames / rate) s; at most \(longest) s are taken at once")
    }
  }
}
