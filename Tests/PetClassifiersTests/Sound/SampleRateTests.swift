// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

import PetClassifiers

@Suite struct SampleRateTests {
  /// A tone of half the full scale.
  private func wave(_ frequency: Double, at index: Int, rate: Int) -> Float {
    let turns = frequency * Double(index) / Double(rate)
    return Float(0.5 * sin(2 * Double.pi * turns))
  }

  /// One second of it as float32.
  private func tone(_ frequency: Double, rate: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<rate {
      withUnsafeBytes(of: wave(frequency, at: index, rate: rate)) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  @Test(arguments: [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000])
  func aToneStaysItself(_ rate: Int) throws {
    let format = try SoundFormat(encoding: .float32, rate: rate)
    let sound = try Waveform(pcmBytes: tone(440, rate: rate), format: format)
    #expect(abs(sound.samples.count - 16_000) <= 16)
    // Away from the ends, where the filter sees silence.
    for index in 1_000..<15_000 {
      #expect(abs(sound.samples[index] - wave(440, at: index, rate: 16_000)) < 0.002)
    }
  }

  @Test func whatIsTooHighForTheNewRateIsGone() throws {
    let format = try SoundFormat(encoding: .float32, rate: 48_000)
    let sound = try Waveform(pcmBytes: tone(12_000, rate: 48_000), format: format)
    #expect(sound.samples[1_000..<15_000].allSatisfy { abs($0) < 0.001 })
  }

  @Test func aSoundOfOneFrameIsNoSound() throws {
    let format = try SoundFormat(encoding: .float32, rate: 384_000)
    #expect(throws: ClassifierError.self) { try Waveform(pcmBytes: [UInt8](repeating: 0, count: 4), format: format) }
  }
}
