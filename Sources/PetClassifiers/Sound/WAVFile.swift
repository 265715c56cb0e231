// SPDX-License-Identifier: Apache-2.0
/// The header of a WAV file: what its samples mean and where they lie. Nothing is copied.
///
/// Format: RIFF WAVE, 1991, and WAVE_FORMAT_EXTENSIBLE. PCM of 8, 16, 24 and 32 bits, floating point of 32 and 64,
/// mu-law and A-law.
package struct WAVFile: Sendable, Equatable {
  /// Chunks before the samples; real files have a handful.
  package static let mostChunks = 1_000
  /// Programs that write into a pipe cannot know the size and leave such a number or a larger one.
  package static let unknownSize = 0x7FFF_F000

  package let format: SoundFormat
  /// Byte range of the samples: whole frames, all of them present.
  package let samples: Range<Int>

  /// Reads the header. O(chunks).
  /// - Throws: `ClassifierError.invalidInput`: no WAV file, truncated, without samples, or of an encoding that is not
  /// read.
  package init(_ bytes: RawSpan) throws(ClassifierError) {
    guard bytes.byteCount >= 12, Self.tag(bytes, 0) == "RIFF", Self.tag(bytes, 8) == "WAVE" else {
      throw .invalidInput("no WAV file: it does not begin with RIFF and WAVE")
    }
    var offset = 12
    var format: SoundFormat?
    for _ in 0..<Self.mostChunks {
      guard offset + 8 <= bytes.byteCount else {
        let missing = format == nil ? "a format" : "samples"
        throw .invalidInput("WAV file without \(missing), truncated at byte \(bytes.byteCount)")
      }
      let tag = Self.tag(bytes, offset)
      let size = Int(Self.integer(bytes, offset + 4, as: UInt32.self))
      let body = offset + 8
      let present = bytes.byteCount - body
      if tag == "data" {
        guard let format else { throw .invalidInput("WAV file with samples before their format") }
        guard size <= present || size >= Self.unknownSize else {
          throw .invalidInput("truncated WAV file: \(size) bytes of samples announced, \(present) present")
        }
        let frames = min(size, present) / format.frameSize
        guard frames > 0 else { throw .invalidInput("WAV file without samples") }
        self.format = format
        samples = body..<(body + frames * format.frameSize)
        return
      }
      guard size <= present else {
        throw .invalidInput("truncated WAV file: a chunk of \(size) bytes at byte \(offset), \(present) present")
      }
      if tag == "fmt " { format = try Self.format(bytes, at: body, size: size) }
      offset = body + size + size % 2
    }
    throw .invalidInput("WAV file with more than \(Self.mostChunks) chunks before its samples")
  }

  private static func format(_ bytes: RawSpan, at body: Int, size: Int) throws(ClassifierError) -> SoundFormat {
    guard size >= 16 else { throw .invalidInput("WAV format of \(size) bytes; it has 16 or more") }
    var code = Int(integer(bytes, body, as: UInt16.self))
    let channels = Int(integer(bytes, body + 2, as: UInt16.self))
    let rate = Int(integer(bytes, body + 4, as: UInt32.self))
    let block = Int(integer(bytes, body + 12, as: UInt16.self))
    let bits = Int(integer(bytes, body + 14, as: UInt16.self))
    // Extensible: the code is the first two bytes of an identifier.
    if code == 0xFFFE, size >= 40 { code = Int(integer(bytes, body + 24, as: UInt16.self)) }
    let encoding: SampleEncoding
    switch (code, bits) {
    case (1, 8): encoding = .unsigned8
    case (1, 16): encoding = .signed16
    case (1, 24): encoding = .signed24
    case (1, 32): encoding = .signed32
    case (3, 32): encoding = .float32
    case (3, 64): encoding = .float64
    case (6, 8): encoding = .aLaw
    case (7, 8): encoding = .muLaw
    default: throw .invalidInput("WAV encoding \(code) of \(bits) bits is not read; PCM, floating point and G.711 are")
    }
    let format = try SoundFormat(encoding: encoding, channels: channels, rate: rate)
    guard block == format.frameSize else {
      throw .invalidInput("WAV frames of \(block) bytes; \(channels) samples of \(bits) bits are \(format.frameSize)")
    }
    return format
  }

  /// Four bytes as text; "" where they are no ASCII.
  private static func tag(_ bytes: RawSpan, _ offset: Int) -> String {
    let codes = (0..<4).map { bytes.unsafeLoad(fromByteOffset: offset + $0, as: UInt8.self) }
    return codes.allSatisfy { $0 < 128 } ? String(decoding: codes, as: UTF8.self) : ""
  }

  private static func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: RawSpan, _ offset: Int, as type: Value.Type
  ) -> Value {
    Value(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }
}
