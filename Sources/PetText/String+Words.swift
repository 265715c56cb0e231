// SPDX-License-Identifier: Apache-2.0
/// What may stand in a word; all else separates words.
package struct WordCharacters: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let letters = WordCharacters(rawValue: 1)
  package static let numbers = WordCharacters(rawValue: 2)
  /// The apostrophe of a typewriter.
  package static let apostrophe = WordCharacters(rawValue: 4)
  /// The apostrophe of a typesetter, U+2019.
  package static let curlyApostrophe = WordCharacters(rawValue: 8)

  package func allow(_ character: Character) -> Bool {
    switch character {
    case "'": contains(.apostrophe)
    case "\u{2019}": contains(.curlyApostrophe)
    default: contains(.letters) && character.isLetter || contains(.numbers) && character.isNumber
    }
  }
}

extension StringProtocol {
  /// The words of a text in small letters, in their order. O(n).
  ///
  /// Networks see other words: they were trained on those of `FoldedText` and `BankWords`, bit for bit.
  package func words(of characters: WordCharacters) -> [String] {
    lowercased().split { !characters.allow($0) }.map(String.init)
  }
}
