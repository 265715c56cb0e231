// SPDX-License-Identifier: Apache-2.0
import Testing

import PetClassifiers

@Suite struct SoundFormatTextTests {
  @Test func everyEncodingHasAName() throws {
    let sizes = try SoundFormat.encodingNames.map { try SoundFormat(text: "\($0):8000").encoding.size }
    #expect(sizes == [1, 2, 3, 4, 4, 8, 1, 1])
    let stereo = try SoundFormat(text: "f32le:48000:2")
    #expect(stereo.encoding == .float32 && stereo.rate == 48_000 && stereo.channels == 2)
    #expect(try SoundFormat(text: "mulaw:8000").encoding == .muLaw)
  }

  @Test(
    arguments: ["", "s16le", "s16le:", "s16le:x", "s16:16000", "s16le:16000:0", "s16le:16000:65", "s16le:1", "a:b:c:d"]
  )
  func othersAreRefused(_ text: String) {
    #expect(throws: ClassifierError.self) { try SoundFormat(text: text) }
  }
}
