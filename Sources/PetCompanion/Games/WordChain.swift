// SPDX-License-Identifier: Apache-2.0
/// Each word begins with the last letter of the one before, and none comes twice.
package struct WordChain: Sendable, Equatable {
  package private(set) var last: String
  package private(set) var used: Set<String>

  static func begin(_ rules: GameRules, _ choice: UInt64) -> Pastime.Move {
    let letters = rules.words.keys.sorted().filter { rules.words[$0]?.isEmpty == false }
    let own = rules.words[letters[Int(choice % UInt64(letters.count))]] ?? []
    let word = own[Int((choice >> 8) % UInt64(own.count))]
    let text = rules.line(.wordsBegin, ["word": word, "letter": letter(word)], choice)
    return Pastime.Move(text, .playful, .words(WordChain(last: word, used: [word])))
  }

  /// One word, or one behind an article; anything else is no word of the chain.
  func hear(_ words: [String], _ rules: GameRules, _ choice: UInt64) -> Pastime.Move? {
    if rules.givesUp(words) { return Pastime.Move(rules.line(.stopped, [:], choice), .content, nil) }
    let own = words.filter { !["a", "an", "the", "ok", "um", "hmm", ".", "?"].contains($0) }
    guard own.count == 1, let word = own.first, word.count > 1, word.allSatisfy({ $0.isASCII && $0.isLetter }) else {
      return nil
    }
    guard word.hasPrefix(Self.letter(last)) else {
      return Pastime.Move(
        rules.line(.wrongLetter, ["word": last, "letter": Self.letter(last)], choice), .playful, .words(self))
    }
    guard !used.contains(word) else {
      return Pastime.Move(
        rules.line(.usedWord, ["word": word, "letter": Self.letter(last)], choice), .playful, .words(self))
    }
    var chain = self
    chain.used.insert(word)
    let open = (rules.words[Self.letter(word)] ?? []).filter { !chain.used.contains($0) }
    guard !open.isEmpty else {
      return Pastime.Move(rules.line(.noWordLeft, ["letter": Self.letter(word)], choice), .surprised, nil)
    }
    chain.last = open[Int(choice % UInt64(open.count))]
    chain.used.insert(chain.last)
    return Pastime.Move("\(chain.last.sentenceCased)!", .playful, .words(chain))
  }

  private static func letter(_ word: String) -> String { String(word.suffix(1)) }
}
