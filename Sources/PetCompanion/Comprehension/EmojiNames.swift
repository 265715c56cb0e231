// SPDX-License-Identifier: Apache-2.0
import PetText

/// What emoji show, by the names that Unicode gives them: "🍕🐶" is a slice of pizza and a dog face.
enum EmojiNames {
  /// Parts of names of what is sad, angry or in pain.
  private static let sad = [
    "CRY", "BROKEN", "FROWN", "WEARY", "DISAPPOINTED", "PENSIVE", "FEAR", "ANGUISH", "WORRIED", "PERSEVER",
    "CONFOUNDED", "TIRED",
    "ANGRY", "POUTING FACE", "SCREAM", "NAUSEATED", "THERMOMETER", "BANDAGE", "COLD SWEAT", "SYMBOLS OVER MOUTH",
  ]
  /// Most that are named.
  private static let most = 3

  /// Nil where the message has other than emoji; otherwise the first of them, each once, and whether any is sad.
  static func read(_ message: String) -> (names: [String], isSad: Bool)? {
    var names: [String] = []
    var isSad = false
    for character in message where !character.isWhitespace {
      let scalars = character.unicodeScalars
      guard let first = scalars.first, first.properties.isEmoji, !("0"..."9" ~= first), first != "#", first != "*",
        let name = first.properties.name
      else { return nil }
      isSad = isSad || sad.contains { name.contains($0) }
      let said = name.hasPrefix("REGIONAL INDICATOR") ? "flag" : plain(name)
      if !names.contains(said) { names.append(said) }
    }
    return names.isEmpty ? nil : (names, isSad)
  }

  /// "a slice of pizza, a crab and a water wave".
  static func said(_ names: [String]) -> String {
    names.prefix(most).map { "aeiou".contains($0.prefix(1)) ? "an \($0)" : "a \($0)" }.listed
  }

  /// Without the words for how a sign is drawn.
  private static func plain(_ name: String) -> String {
    let words = name.lowercased().split(separator: " ").filter {
      !["black", "heavy", "white", "sign", "symbol"].contains($0)
    }
    return words.isEmpty ? name.lowercased() : words.joined(separator: " ")
  }
}
