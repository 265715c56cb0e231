// SPDX-License-Identifier: Apache-2.0
/// Answers to one kind of easy question, or of small requests: part of `prompts/knowledge.json`.
struct KnowledgeTable: Sendable, Decodable {
  /// A row answers where a word of each of its keys stands in the question.
  private struct Row: Sendable {
    let keys: [Set<String>]
    let value: String
  }

  private enum CodingKeys: String, CodingKey { case about, asks, rows, says }

  let about: String
  private let asks: WordPatterns
  private let rows: [Row]
  /// In the place of rows: one of these, whatever is asked.
  private let says: [String]

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    about = try values.decode(String.self, forKey: .about)
    says = try values.decodeIfPresent([String].self, forKey: .says) ?? []
    rows = (try values.decodeIfPresent([String: String].self, forKey: .rows) ?? [:]).map { key, value in
      Row(keys: key.split(separator: "+").map { Set($0.split(separator: "|").map(String.init)) }, value: value)
    }
    let words = rows.flatMap { $0.keys.flatMap(\.self) }
    asks = try WordPatterns(
      try values.decode([String].self, forKey: .asks), sets: ["key": words],
      at: values.codingPath + [CodingKeys.asks])
    guard rows.isEmpty != says.isEmpty, words.allSatisfy(FoldedText.isWord) else {
      throw DecodingError.dataCorruptedError(
        forKey: .rows, in: values, debugDescription: "answers there are either in rows or in a list, and keys are words"
      )
    }
  }

  /// All that may be said to a line, as it is normalized by ``FoldedText``; nothing where it asks for something else.
  ///
  /// Complexity: linear in the words.
  func answers(to words: [String]) -> [String] {
    let starts = asks.matches(in: words).map(\.start)
    guard rows.isEmpty else { return starts.lazy.compactMap { value(for: words[$0...]) }.first.map { [$0] } ?? [] }
    return starts.isEmpty ? [] : says
  }

  /// Of the row that asks for most words, and whose words come first.
  private func value(for words: ArraySlice<String>) -> String? {
    let found = rows.compactMap { row -> (keys: Int, end: Int, value: String)? in
      let places = row.keys.map { key in words.firstIndex(where: key.contains) }
      guard let end = places.reduce(0, { last, place in last.flatMap { last in place.map { max(last, $0) } } }),
        Set(places).count == places.count
      else { return nil }
      return (row.keys.count, end, row.value)
    }
    return found.min { ($1.keys, $0.end, $0.value) < ($0.keys, $1.end, $1.value) }?.value
  }
}
