// SPDX-License-Identifier: Apache-2.0
import PetText

/// By which words a reply shows that it has understood a sorrow, and what is said where it does not, written by hand for
/// each temperament: `prompts/sympathy.json`.
package struct SympathyLines: Sendable, Decodable {
  private enum CodingKeys: String, CodingKey { case signs, cheerful, grave, answers }

  /// A reply that has one feels with whoever is unhappy.
  private let signs: WordPatterns
  /// A reply that has one does not.
  private let cheerful: WordPatterns
  /// Words that tell of something bad, whatever else there is in a line.
  private let grave: [(sentiment: Sentiment, words: WordPatterns)]
  private let answers: TemperamentLines

  /// - Throws: `DecodingError` where a pattern is malformed, the plain set or a kind is missing, or a kind has fewer than two
  ///   lines.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func patterns(_ key: CodingKeys) throws -> WordPatterns {
      try WordPatterns(values.decode([String].self, forKey: key), sets: [:], at: values.codingPath + [key])
    }
    signs = try patterns(.signs)
    cheerful = try patterns(.cheerful)
    grave = try values.decode([String: [String]].self, forKey: .grave).sorted { $0.key < $1.key }.map { name, texts in
      let path = values.codingPath + [CodingKeys.grave]
      guard let sentiment = Sentiment(rawValue: name), sentiment != .joy else {
        throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: "\(name) is no sorrow"))
      }
      return (sentiment, try WordPatterns(texts, sets: [:], at: path))
    }
    answers = try values.decode(TemperamentLines.self, forKey: .answers)
    try answers.check(Sentiment.sorrows.map(\.rawValue), values.superDecoder(forKey: .answers))
  }

  /// Those that are built in.
  package static let standard: SympathyLines = BuiltInText.decode("sympathy.json", PackageResources.sympathy_json)

  /// Whether a reply to `message` shows that it has understood an unhappy person.
  ///
  /// Complexity: linear in both.
  package func shows(_ sentiment: Sentiment, _ reply: Reply, to message: String) -> Bool {
    let emotion = reply.emotion ?? .content
    guard !Sentiment.isMissed(by: emotion) else { return false }
    let words = FoldedText.words(reply.text)
    guard cheerful.matches(in: words).isEmpty else { return false }
    // Without a word for it, it is enough to take up what happened; what is grave, with a face for it.
    return !signs.matches(in: words).isEmpty
      || (!sentiment.isGrave || Sentiment.isShared(by: emotion))
        && !AnswerWords.content(of: reply.text).isDisjoint(with: AnswerWords.content(of: message))
  }

  /// What a message tells of in plain words: a death, a job that is lost, an illness. What a classifier takes it for does not count then.
  /// - Returns: nil where it does not.
  package func plainSorrow(in message: String) -> Sentiment? {
    let words = FoldedText.words(message)
    return grave.first { !$0.words.matches(in: words).isEmpty }?.sentiment
  }

  /// - Parameters:
  ///   - temperament: as in ``PromptFormat/Pet/temperament``.
  ///   - choice: any number; the same gives the same line.
  ///   - recent: what was said lately; where there is another line it is not said again.
  package func reply(to sentiment: Sentiment, temperament: String, choice: UInt64, recent: [String] = []) -> Reply? {
    answers.reply(sentiment.rawValue, temperament: temperament, choice: choice, recent: recent)
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { answers.all }
}
