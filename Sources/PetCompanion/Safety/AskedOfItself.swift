// SPDX-License-Identifier: Apache-2.0
/// One kind of question that a pet answers by hand-written words: how it is asked, and what is said.
struct AskedOfItself: Sendable {
  private enum CodingKeys: String, CodingKey { case asks, plays, marks, answers }

  private let asks: WordPatterns
  private let plays: WordPatterns
  /// In small letters: bytes that nobody types who only talks.
  private let marks: [String]
  /// By a word of the temperament.
  private let answers: [String: [String]]

  /// - Throws: `DecodingError`, with the pattern that is malformed.
  init(_ decoder: any Decoder, sets: [String: [String]]) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func patterns(_ key: CodingKeys) throws -> WordPatterns {
      try WordPatterns(try values.decode([String].self, forKey: key), sets: sets, at: values.codingPath + [key])
    }
    asks = try patterns(.asks)
    plays = try patterns(.plays)
    marks = try values.decodeIfPresent([String].self, forKey: .marks)?.map { $0.lowercased() } ?? []
    answers = try values.decode([String: [String]].self, forKey: .answers)
    guard answers["default"] != nil, answers.values.allSatisfy({ !$0.isEmpty }), !marks.contains("") else {
      throw DecodingError.dataCorruptedError(
        forKey: .answers, in: values, debugDescription: "a \"default\" is needed, and a text in every list")
    }
  }

  func isAsked(_ message: String, _ words: [String]) -> Bool {
    if !marks.isEmpty {
      let lower = message.lowercased()
      if marks.contains(where: lower.contains) { return true }
    }
    return !asks.matches(in: words).isEmpty && plays.matches(in: words).isEmpty
  }

  func answers(_ temperament: String) -> [String] {
    TemperamentLines.set(for: temperament, in: answers) ?? answers["default"] ?? []
  }

  /// As they are written.
  var all: [String] { answers.values.flatMap { $0 } }
}
