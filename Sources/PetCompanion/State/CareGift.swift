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
    "blood", "weed", "cocaine", "acid", "arsenic", "cyanide", "antifreeze", "paint", "glue", "diesel", "kerosene",
    "ammonia", "chlorine", "mercury", "chemical", "pesticide", "insecticide", "herbicide", "venom", "toxin", "toxic",
    "poisonous", "poisoned", "thumbtack", "blade", "bullet", "magnet", "chocolate", "xylitol", "paracetamol",
    "ibuprofen", "aspirin", "medicine", "meth", "heroin", "fentanyl", "tobacco", "beer", "wine", "rum", "gin",
    "tequila",
  ]

  public let name: String

  /// Whether a text names what nobody who is fond of a pet gives it. A glass of milk is a drink.
  public static func isHarmful(_ text: String) -> Bool {
    let words = text.lowercased().split { !$0.isLetter }.map(String.init)
    let drink = words.drop(while: articles.contains)
    let named = drink.first == "glass" && drink.dropFirst().first == "of" ? Array(drink.dropFirst(2)) : words
    return named.contains { harmful.contains($0) || harmful.contains(Stem.inflection(undoneIn: $0)) }
  }

  /// Nil for what is no short name of a thing, or harms.
  public init?(_ text: String) {
    let words = text.withoutBraces.replacing("\u{2019}", with: "'").singleSpaced.split(separator: " ")
      .drop { Self.articles.contains($0.lowercased()) }
    let name = words.joined(separator: " ")
    let isName = name.allSatisfy { $0.isLetter || $0.isNumber || " -'".contains($0) }
    guard (1...Self.most.words).contains(words.count), name.utf8.count <= Self.most.bytes, isName,
      !Self.isHarmful(name)
    else { return nil }
    self.name = name
  }
}
