// SPDX-License-Identifier: Apache-2.0
import PetText

/// Whether what a model wrote may be shown: `prompts/reply_check.json`.
///
/// Judge the whole reply, or all of it that there is whenever a sentence ends: what was shown passed.
package struct ReplyCheck: Sendable, Decodable {
  package enum Reason: String, Sendable, CaseIterable, Codable {
    /// Talks somebody into hurting themselves, or out of getting help.
    case selfHarm = "self_harm"
    /// Is cruel to the person.
    case cruelty
    case sexual
    case slur
    /// Says that it is a person.
    case humanClaim = "human_claim"
    /// Instructions or marks that are nobody's business.
    case leak
    /// Says that it forgets something: what is forgotten is said by the lines for wishes, once it is done.
    case forgetting
    /// A telephone number or an address on the web: a model makes them up.
    case contact
    /// Goes round; what came before that may be shown.
    case loop
  }

  package enum Verdict: Sendable, Equatable {
    case pass
    case replace(Reason)
  }

  private enum CodingKeys: String, CodingKey {
    case sets, reasons, marks, addresses, instead
    case insteadOfForgetting = "instead_of_forgetting"
  }

  /// Shorter runs of digits are years, sums and emergency numbers.
  private static let digitsOfTelephone = 7
  private let reasons: [(reason: Reason, patterns: WordPatterns)]
  private let marks: [String]
  private let addresses: [String]
  private let instead, insteadOfForgetting: [String]

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let sets = try values.decode([String: [String]].self, forKey: .sets)
    let lists = try values.decode([String: [String]].self, forKey: .reasons)
    reasons = try Reason.allCases.compactMap { reason in
      guard let list = lists[reason.rawValue] else { return nil }
      return (reason, try WordPatterns(list, sets: sets, at: values.codingPath + [CodingKeys.reasons]))
    }
    marks = try values.decode([String].self, forKey: .marks).map { $0.lowercased() }
    addresses = try values.decode([String].self, forKey: .addresses)
    instead = try values.decode([String].self, forKey: .instead)
    insteadOfForgetting = try values.decode([String].self, forKey: .insteadOfForgetting)
    let unknown = lists.keys.filter { Reason(rawValue: $0) == nil }.sorted()
    guard unknown.isEmpty, !instead.isEmpty, !insteadOfForgetting.isEmpty, !marks.contains(""), !addresses.contains("")
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .reasons, in: values,
        debugDescription: "unknown reasons \(unknown), an empty mark, or nothing to say instead")
    }
  }

  /// The lists that are built in.
  package static let standard: ReplyCheck = BuiltInText.decode("reply_check.json", PackageResources.reply_check_json)

  /// Complexity: linear in the text.
  package func verdict(on text: String) -> Verdict {
    let lower = text.lowercased()
    // Control characters are the models' flags.
    let hasControl = text.unicodeScalars.contains { $0.value < 0x20 && !("\t\n\r".unicodeScalars.contains($0)) }
    if hasControl || marks.contains(where: lower.contains) { return .replace(.leak) }
    if addresses.contains(where: lower.contains) || Self.hasTelephone(lower) { return .replace(.contact) }
    let words = FoldedText.words(text)
    let found = reasons.first { !$0.patterns.matches(in: words).isEmpty }
    return found.map { .replace($0.reason) } ?? .pass
  }

  /// Whether words of the person may be said again. They may speak as a person does, and tell whom to call. Complexity: linear in the text.
  package func allows(quote text: String) -> Bool {
    let lower = text.lowercased()
    let words = FoldedText.words(text)
    return !marks.contains(where: lower.contains)
      && !reasons.contains {
        ![.humanClaim, .forgetting].contains($0.reason) && !$0.patterns.matches(in: words).isEmpty
      }
  }

  /// What to say in its place.
  /// - Parameter choice: any number; the same gives the same reply.
  package func replacement(_ reason: Reason, choice: UInt64) -> Reply {
    let lines = reason == .forgetting ? insteadOfForgetting : instead
    return Reply(written: lines[Int(choice % UInt64(lines.count))])
  }

  /// Digits with nothing between them but spaces and the signs of telephone numbers.
  private static func hasTelephone(_ text: String) -> Bool {
    var digits = 0
    var apart = 0
    for byte in text.utf8 {
      if (0x30...0x39).contains(byte) {
        digits += 1
        apart = 0
        if digits >= digitsOfTelephone { return true }
      } else if " -./()+".utf8.contains(byte), apart < 2 {
        apart += 1
      } else {
        digits = 0
        apart = 0
      }
    }
    return false
  }
}
