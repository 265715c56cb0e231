// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a pet says to danger, written by hand: `prompts/danger.json`.
package struct DangerReplies: Sendable, Decodable {
  private struct Kind: Sendable, Decodable {
    /// To the first line of the kind in a conversation.
    let first: [String]
    /// To those that follow.
    let again: [String]
  }

  private let kinds: [Danger: Kind]

  package init(from decoder: any Decoder) throws {
    let byName = try [String: Kind](from: decoder)
    kinds = byName.reduce(into: [:]) { kinds, entry in
      if let kind = Danger(rawValue: entry.key) { kinds[kind] = entry.value }
    }
    guard kinds.count == Danger.allCases.count, kinds.values.allSatisfy({ !$0.first.isEmpty && !$0.again.isEmpty })
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "every kind of danger needs first and later replies"))
    }
  }

  /// The replies that are built in.
  package static let standard: DangerReplies = BuiltInText.decode("danger.json", PackageResources.danger_json)

  /// The reply to a line that tells of danger.
  /// - Parameters:
  ///   - before: how many lines of this kind the conversation had.
  ///   - choice: any number; the same gives the same reply.
  ///   - region: of two letters, as ``CrisisResources`` has them; nil: numbers that hold in many places.
  ///   - isForMinors: sends to grown-ups and to lines for young people.
  package func reply(
    to danger: Danger, before: Int, choice: UInt64, region: String? = nil, isForMinors: Bool = false
  ) -> Reply {
    let first = kinds[danger]?.first ?? []
    let again = kinds[danger]?.again ?? []
    // Later ones in turn: never the same twice in a row.
    let text =
      before <= 0 ? first[Int(choice % UInt64(first.count))] : again[(before - 1) % again.count]
    return Reply(written: CrisisResources.standard.fill(text, region: region, isForMinors: isForMinors))
  }

  /// Which danger a reply was said to: what is left of a flag where only the words of a conversation are known.
  /// - Parameters: as of ``reply(to:before:choice:region:isForMinors:)``.
  /// - Complexity: O(all replies)
  package func danger(answeredBy text: String, region: String? = nil, isForMinors: Bool = false) -> Danger? {
    guard !text.isEmpty else { return nil }
    return Danger.allCases.first { danger in
      guard let kind = kinds[danger] else { return false }
      return (kind.first + kind.again).contains { written in
        var filter = MarkFilter()
        let said = filter.append(CrisisResources.standard.fill(written, region: region, isForMinors: isForMinors))
        return said == text
      }
    }
  }

  /// All of them, as they are written.
  package var all: [String] { kinds.values.flatMap { $0.first + $0.again } }
}
