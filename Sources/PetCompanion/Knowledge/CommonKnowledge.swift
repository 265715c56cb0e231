// SPDX-License-Identifier: Apache-2.0
import PetText

/// Easy questions and small requests that a small language model gets wrong, answered by hand-written tables: `prompts/knowledge.json`.
package struct CommonKnowledge: Sendable, Decodable {
  /// How a pet says an answer.
  package enum Kind: String, CaseIterable {
    case fact
    /// A joke, a riddle, a name for a kitten: one of many that would do.
    case request
  }

  private enum CodingKeys: String, CodingKey { case tables, lines }

  private let tables: [KnowledgeTable]
  private let jokeTables: [KnowledgeTable]
  private let lines: TemperamentLines

  /// - Throws: `DecodingError` where a table is malformed, the plain set or a kind is missing, or a kind has fewer than two lines.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    tables = try values.decode([KnowledgeTable].self, forKey: .tables)
    jokeTables = tables.filter { Self.jokes.contains($0.about) }
    lines = try values.decode(TemperamentLines.self, forKey: .lines)
    try lines.check(Kind.allCases.map(\.rawValue), values.superDecoder(forKey: .lines))
  }

  /// That which is built in.
  package static let standard: CommonKnowledge = BuiltInText.decode("knowledge.json", PackageResources.knowledge_json)

  /// What may be said, in no pet's voice; nothing where it is asked for something else.
  package func answers(to message: String) -> [String] { found(for: message)?.answers ?? [] }

  /// Of those of ``KnowledgeTable/about``.
  private static let jokes: Set<String> = ["joke", "knock knock"]

  /// Complexity: linear in the words; all tables are looked at only where one of jokes matches.
  func asksForJoke(_ message: String) -> Bool {
    let words = FoldedText.words(message)
    guard jokeTables.contains(where: { !$0.answers(to: words).isEmpty }) else { return false }
    return found(for: message).map { Self.jokes.contains($0.about) } ?? false
  }

  private func found(for message: String) -> (about: String, answers: [String])? {
    let words = FoldedText.words(message)
    guard words.count <= WordClassifier.window else { return nil }
    return tables.lazy.map { ($0.about, $0.answers(to: words)) }.first { !$0.1.isEmpty }
  }

  /// To a sum, and to nothing else. Complexity: linear in the message.
  /// - Parameters: as of ``reply(to:temperament:choice:recent:)``.
  package func result(of message: String, temperament: String, choice: UInt64, recent: [String] = []) -> Reply? {
    Sum(message)?.answer.flatMap {
      lines.reply(Kind.fact.rawValue, temperament: temperament, values: ["told": $0], choice: choice, last: recent.last)
    }
  }

  /// - Parameters:
  ///   - temperament: as in ``PromptFormat/Pet/temperament``.
  ///   - choice: any number; the same gives the same line.
  ///   - recent: what was said lately; where there is another line it is not said again.
  package func reply(to message: String, temperament: String, choice: UInt64, recent: [String] = []) -> Reply? {
    let answers = answers(to: message)
    guard !answers.isEmpty else { return nil }
    let fresh = answers.filter { answer in !recent.contains { $0.contains(answer) } }
    let open = fresh.isEmpty ? answers : fresh
    let kind = answers.count > 1 ? Kind.request : .fact
    return lines.reply(
      kind.rawValue, temperament: temperament, values: ["told": open[Int(choice % UInt64(open.count))]],
      choice: choice, last: recent.last)
  }

  /// As they are written, by temperament and kind.
  package var all: [String: [String: [String]]] { lines.all }
}
