// SPDX-License-Identifier: Apache-2.0
extension VocalAffectResult: Encodable {
  private enum Key: String, CodingKey {
    case result, affect
    case speechSeconds = "speech_seconds"
    case voicedSeconds = "voiced_seconds"
  }

  /// `{"result": "affect", "affect": {...}}` or `{"result": "no_speech", "speech_seconds": ..., "voiced_seconds": ...}`
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .noSpeech(let speech, let voiced):
      try fields.encode("no_speech", forKey: .result)
      try fields.encode(speech, forKey: .speechSeconds)
      try fields.encode(voiced, forKey: .voicedSeconds)
    case .affect(let affect):
      try fields.encode("affect", forKey: .result)
      try fields.encode(affect, forKey: .affect)
    }
  }
}

extension VocalAffect: Encodable {
  private enum Key: String, CodingKey { case finding, label, confidence, probabilities, valence, arousal, prosody }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    // Null where it is unclear.
    try fields.encode(finding, forKey: .finding)
    try fields.encode(label, forKey: .label)
    try fields.encode(confidence, forKey: .confidence)
    // As an object: a dictionary whose keys are no strings becomes an array.
    try fields.encode(
      Dictionary(uniqueKeysWithValues: probabilities.map { ($0.key.rawValue, $0.value) }), forKey: .probabilities)
    try fields.encode(valence, forKey: .valence)
    try fields.encode(arousal, forKey: .arousal)
    try fields.encode(prosody, forKey: .prosody)
  }
}
