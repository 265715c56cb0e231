// SPDX-License-Identifier: Apache-2.0
extension SoundFormat {
  /// The encodings by the names that ffmpeg and sox have for them.
  package static let encodingNames = ["u8", "s16le", "s24le", "s32le", "f32le", "f64le", "mulaw", "alaw"]

  /// As in "s16le:16000:1": encoding, frames per second, and channels where there are more than one.
  /// - Throws: `ClassifierError.invalidInput`.
  package init(text: String) throws(ClassifierError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let form = "give an encoding, a rate and channels as in s16le:16000:1"
    guard (2...3).contains(parts.count) else { throw .invalidInput("the sound format \(text) is none; \(form)") }
    guard let place = Self.encodingNames.firstIndex(of: parts[0]) else {
      throw .invalidInput("the encoding \(parts[0]) is none of \(Self.encodingNames.joined(separator: ", "))")
    }
    guard let rate = Int(parts[1]), let channels = parts.count > 2 ? Int(parts[2]) : 1 else {
      throw .invalidInput("the sound format \(text) has no numbers; \(form)")
    }
    try self.init(encoding: SampleEncoding.allCases[place], channels: channels, rate: rate)
  }
}
