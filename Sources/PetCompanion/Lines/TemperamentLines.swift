// SPDX-License-Identifier: Apache-2.0
import PetText

/// Lines written by hand for each temperament, and in it by what they are about.
package struct TemperamentLines: Sendable, Decodable {
  /// The set for temperaments that no other is for.
  package static let plain = "plain"

  /// By temperament, then by kind, as they are written.
  package let all: [String: [String: [String]]]

  package init(from decoder: any Decoder) throws { all = try [String: [String: [String]]](from: decoder) }

  /// - Throws: `DecodingError` where the plain set or a kind is missing, or a kind has fewer than two lines: it would
  ///   repeat itself.
  func check(_ kinds: [String], _ decoder: any Decoder) throws {
    // A set that is missing is one without lines.
    try WrittenLines.check(all[Self.plain] ?? [:], for: kinds, decoder)
    for set in all.values { try WrittenLines.check(set, for: kinds, decoder) }
  }

  /// Nil where nothing is written.
  /// - Parameters:
  ///   - temperament: as in ``PromptFormat/Pet/temperament``, such as "shy and gentle": its first word that has a set counts.
  ///   - values: what stands for "{name}" in a line: each one line, without braces, which are the marks of replies.
  ///   - choice: any number; the same gives the same line.
  ///   - last: what was said last; it is not said again.
  func reply(
    _ kind: String, temperament: String, values: [String: String] = [:], choice: UInt64, last: String? = nil
  ) -> Reply? {
    let set = Self.set(for: temperament, in: all) ?? all[Self.plain]
    let replies = (set?[kind] ?? []).map { line in
      Reply(
        written: values.reduce(line) { $0.replacing("{\($1.key)}", with: $1.value.singleSpaced.withoutBraces) })
    }
    let text = WrittenLines.pick(replies.map(\.text), choice: choice, last: last)
    return replies.first { $0.text == text }
  }

  /// - Parameter recent: what was said lately; where there is another line it is not said again.
  func reply(
    _ kind: String, temperament: String, values: [String: String] = [:], choice: UInt64, recent: [String]
  ) -> Reply? {
    let replies = (0..<Self.tries).lazy.compactMap {
      reply(kind, temperament: temperament, values: values, choice: choice &+ $0, last: recent.last)
    }
    return replies.first { !recent.contains($0.text) } ?? replies.first
  }

  /// Enough to come upon another line of the same kind.
  private static let tries: UInt64 = 6

  /// That of the first word of a temperament that has one.
  static func set<Lines>(for temperament: String, in sets: [String: Lines]) -> Lines? {
    temperament.words(of: .letters).lazy.compactMap { sets[$0] }.first
  }
}
