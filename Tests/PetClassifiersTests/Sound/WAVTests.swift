// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

import PetClassifiers

@Suite struct WAVTests {
  /// A WAV file with a header that may lie.
  static func wav(
    code: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 16_000, bits: UInt16 = 16, block: UInt16? = nil,
    announced: UInt32? = nil, before: [UInt8] = [], _ samples: [UInt8]
  ) -> [UInt8] {
    func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    let align = block ?? channels &* (bits / 8)
    let format =
      bytes(code) + bytes(channels) + bytes(rate) + bytes(rate &* UInt32(align)) + bytes(align) + bytes(bits)
    return Array("RIFF".utf8) + bytes(UInt32(36)) + Array("WAVE".utf8) + before + Array("fmt ".utf8) + bytes(UInt32(16))
      + format + Array("data".utf8) + bytes(announced ?? UInt32(samples.count)) + samples
  }

  private func reason(_ bytes: [UInt8]) -> String {
    do {
      _ = try Waveform(wav: bytes)
      return "read"
    } catch {
      guard case .invalidInput(let reason) = error else { return "\(error)" }
      return reason
    }
  }

  @Test func everyEncodingHasFullScaleAtOne() throws {
    func first(_ code: UInt16, _ bits: UInt16, _ bytes: [UInt8]) throws -> Float {
      try Waveform(wav: Self.wav(code: code, bits: bits, bytes)).samples[0]
    }
    #expect(try first(1, 8, [0]) == -1)
    #expect(try first(1, 8, [192]) == 0.5)
    #expect(try first(1, 16, [0, 0x80]) == -1)
    #expect(try first(1, 16, [0, 0x40]) == 0.5)
    #expect(try first(1, 24, [0, 0, 0x80]) == -1)
    #expect(try first(1, 24, [0, 0, 0x40]) == 0.5)
    #expect(try first(1, 32, [0, 0, 0, 0xC0]) == -0.5)
    #expect(try first(3, 32, [0, 0, 0, 0x3F]) == 0.5)
    #expect(try first(3, 64, [0, 0, 0, 0, 0, 0, 0xE0, 0xBF]) == -0.5)
    // ITU-T G.711: the loudest and the quietest codes.
    #expect(try first(7, 8, [0x00]) == -32_124 / 32_768)
    #expect(try first(7, 8, [0x80]) == 32_124 / 32_768)
    #expect(try first(7, 8, [0xFF]) == 0)
    #expect(try first(6, 8, [0x2A]) == -32_256 / 32_768)
    #expect(try first(6, 8, [0xAA]) == 32_256 / 32_768)
    #expect(try first(6, 8, [0xD5]) == 8 / 32_768)
  }

  @Test func channelsAreAveraged() throws {
    let sound = try Waveform(wav: Self.wav(channels: 2, [0, 0x40, 0, 0xC0, 0, 0x40, 0, 0x40]))
    #expect(sound.samples == [0, 0.5])
  }

  @Test func otherChunksAreSkipped() throws {
    let list = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    #expect(try Waveform(wav: Self.wav(before: list, [0, 0x40])).samples == [0.5])
  }

  @Test func aSizeUnknownWhenWrittenIsTheRest() throws {
    for announced in [0x7FFF_F000, 0xFFFF_FFFF] as [UInt32] {
      #expect(try Waveform(wav: Self.wav(announced: announced, [0, 0x40, 7])).samples == [0.5])
    }
  }

  @Test func brokenFilesAreRefusedWithTheReason() {
    #expect(reason([]).contains("no WAV file"))
    #expect(reason(Array("RIFF".utf8)).contains("no WAV file"))
    #expect(reason([0x89] + Array("PNG\r\n\u{1A}\n and more bytes than a header".utf8)).contains("no WAV file"))
    #expect(reason(Self.wav([])).contains("without samples"))
    #expect(reason(Self.wav([1])).contains("without samples"))
    #expect(reason(Self.wav(announced: 100, [1, 2])).contains("truncated"))
    #expect(reason(Self.wav(code: 0x55, [1, 2])).contains("encoding 85 of 16 bits"))
    #expect(reason(Self.wav(bits: 12, [1, 2])).contains("encoding 1 of 12 bits"))
    #expect(reason(Self.wav(channels: 0, [1, 2])).contains("0 channels"))
    #expect(reason(Self.wav(channels: 65_535, [1, 2])).contains("65535 channels"))
    #expect(reason(Self.wav(rate: 0, [1, 2])).contains("0 frames per second"))
    #expect(reason(Self.wav(rate: .max, [1, 2])).contains("4294967295 frames per second"))
    #expect(reason(Self.wav(block: 0, [1, 2])).contains("frames of 0 bytes"))
    #expect(reason(Self.wav(before: Array("LIST".utf8) + [255, 255, 255, 255], [1, 2])).contains("truncated"))
    #expect(reason(Self.wav(code: 3, bits: 32, [0, 0, 0xC0, 0x7F])).contains("not a number"))
    #expect(reason(Self.wav(code: 3, bits: 32, [0, 0, 0x80, 0x7F])).contains("not a number"))
    #expect(
      reason(Self.wav(code: 3, bits: 64, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xEF, 0x7F])).contains("not a number"))
    #expect(reason(Self.wav(code: 3, bits: 32, [0, 0, 0x80, 0x47])).contains("full scale"))
  }

  @Test func everyTruncationOfAFileIsRefusedOrRead() {
    let file = Self.wav(before: Array("LIST".utf8) + [2, 0, 0, 0, 1, 2], [UInt8](repeating: 1, count: 64))
    for count in file.indices { #expect(reason(Array(file.prefix(count))) != "read") }
    #expect(reason(file) == "read")
  }

  @Test func everyChangedByteOfAHeaderIsRefusedOrRead() {
    let file = Self.wav([UInt8](repeating: 1, count: 64))
    for index in 0..<44 {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = file
        changed[index] = value
        // A trap would end the test.
        #expect(!reason(changed).isEmpty)
      }
    }
  }

  @Test func tenHoursAreRefusedBeforeTheyAreDecoded() throws {
    let bytes = [UInt8](repeating: 0, count: 4_000 * 36_000)
    let format = try SoundFormat(encoding: .unsigned8, rate: 4_000)
    let refused = Self.processorTime {
      #expect(throws: ClassifierError.invalidInput("a sound of 36000 s; at most 600 s are taken at once")) {
        try Waveform(pcmBytes: bytes, format: format)
      }
    }
    // A hundredth of that, which is decoded.
    let sixMinutes = Array(bytes.prefix(4_000 * 360))
    let decoded = try Self.processorTime { _ = try Waveform(pcmBytes: sixMinutes, format: format) }
    #expect(refused < decoded)
  }

  /// What this thread computes for, whatever others do meanwhile.
  private static func processorTime(_ body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    try body()
    return now() - start
  }

  @Test func rawSamplesMustBeWholeFrames() throws {
    let format = try SoundFormat(encoding: .signed16, channels: 2, rate: 16_000)
    let bytes = [UInt8](repeating: 0, count: 6)
    #expect(throws: ClassifierError.invalidInput("6 bytes are no whole frames of 4")) {
      try Waveform(pcmBytes: bytes, format: format)
    }
  }
}
