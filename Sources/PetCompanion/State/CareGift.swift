// SPDX-License-Identifier: Apache-2.0
import PetText

/// What a pet is given to eat, in the few words of its person: "strawberries" of `/feed some strawberries`.
public struct CareGift: Sendable, Equatable {
  private static let most = (words: 6, bytes: 64)
  /// What stands before a thing, and is not named.
  private static let articles: Set<String> = ["a", "an", "the", "some", "my", "your", "her", "him", "it", "them"]
  /// What nobody who is fond of a pet gives it.
  private static let harmful: Set<String> = [
    "poison", "bleach", "glass", "nail", "battery", "petrol", "gasoline", "drug", "alcohol", "vodka", "whisky", "razor",
    "knife", "knives", "pill", "tablet", "cigarette", "shit", "poop", "piss", "vomit", "detergent", "soap", "needle",
    "blood", "weed", "cocaine", "acid",
  ]

  public let name: String

  /// Nil for what is no short name of a thing, or harms.
  public init?(_ text: String) {
    let words = text.withoutBraces.replacing("\u{2019}", with: "'").singleSpaced.split(separator: " ")
      .drop { Self.articles.contains($0.lowercased()) }
    let name = words.joined(separator: " ")
    let isName = name.allSatisfy { $0.isLetter || $0.isNumber || " -'".contains($0) }
    let parts = name.lowercased().split { $0 == " " || $0 == "-" }.map(String.init)
    guard (1...Self.most.words).contains(words.count), name.utf8.count <= Self.most.bytes, isName,
      !parts.contains(where: { Self.harmful.contains($0) || Self.harmful.contains(Stem.inflection(undoneIn: $0)) })
    else { return nil }
    self.name = name
  }
}
