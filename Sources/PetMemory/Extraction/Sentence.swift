// SPDX-License-Identifier: Apache-2.0
import PetText

/// A tokenized sentence: words and breaks, with contractions expanded.
struct Sentence: Sendable {
  struct Token: Sendable, Equatable {
    /// As it was said.
    let text: String
    /// In small letters.
    let word: String
    /// A comma, a dash, a bracket: where a clause may end.
    let isBreak: Bool

    var isCapital: Bool { text.first?.isUppercase ?? false }
  }

  /// Text beyond this length is ignored: nobody tells facts about themselves in the second half of a long paste.
  static let longestMessage = 4000
  static let mostWords = 80

  private(set) var tokens: [Token] = []
  private(set) var isQuestion = false

  /// The sentences of a message. Quoted text of more than three words is somebody else's and left out.
  static func all(in message: String) -> [Sentence] {
    var sentences: [Sentence] = []
    var sentence = Sentence()
    func finish() {
      if !sentence.tokens.isEmpty { sentences.append(sentence) }
      sentence = Sentence()
    }
    for line in unquoted(String(message.prefix(longestMessage))).split(whereSeparator: \.isNewline) {
      for chunk in line.split(whereSeparator: \.isWhitespace) { if sentence.append(chunk) { finish() } }
      finish()
    }
    return sentences
  }

  /// What comes after these tokens and the breaks behind them.
  func after(_ range: Range<Int>) -> Sentence {
    var rest = self
    rest.tokens = Array(tokens[range.upperBound...].drop(while: \.isBreak))
    return rest
  }

  /// Whether the sentence ends with these characters.
  private mutating func append(_ chunk: Substring) -> Bool {
    let marked = MarkedWord(chunk)
    let (word, closing) = (marked.core, marked.closing)
    if !marked.opening.isEmpty, chunk.contains(where: { "([-–—:".contains($0) }) { addBreak() }
    if !word.isEmpty { add(String(word)) }
    if closing.contains("?") { isQuestion = true }
    if closing.contains(where: { "?!;…".contains($0) }) { return true }
    if closing.contains(".") { return !["mr", "mrs", "ms", "dr", "st"].contains(word.lowercased()) }
    if closing.contains(where: { ",:)]–—-(".contains($0) }) { addBreak() }
    return false
  }

  private mutating func addBreak() {
    if tokens.last?.isBreak == false { append(Token(text: ",", word: ",", isBreak: true)) }
  }

  private mutating func append(_ token: Token) {
    if tokens.count < Self.mostWords { tokens.append(token) }
  }

  private mutating func add(_ word: String) {
    guard tokens.count < Self.mostWords else { return }
    var plain = String(word.map { $0 == "’" || $0 == "`" ? "'" : $0 })
    var small = plain.lowercased()
    var negations = 0
    while small.hasSuffix("n't"), small.count > 4, Self.contractions[small] == nil {
      plain = String(plain.dropLast(3))
      small.removeLast(3)
      negations += 1
    }
    if let whole = Self.contractions[small] {
      for (index, part) in whole.split(separator: " ").enumerated() {
        let text =
          index == 0 && plain.first?.isUppercase == true ? part.sentenceCased : String(part)
        append(Token(text: text, word: String(part), isBreak: false))
      }
    } else if small.hasSuffix("'s"), small.count > 2 {
      append(Token(text: String(plain.dropLast(2)), word: String(small.dropLast(2)), isBreak: false))
      append(Token(text: "'s", word: "'s", isBreak: false))
    } else {
      append(Token(text: plain, word: small, isBreak: false))
    }
    for _ in 0..<negations { append(Token(text: "not", word: "not", isBreak: false)) }
  }

  private static let contractions: [String: String] = {
    var table = [
      "im": "i am", "ive": "i have", "ill": "ill", "can't": "can not", "cant": "can not", "cannot": "can not",
      "won't": "will not", "wont": "will not", "dont": "do not", "doesnt": "does not", "didnt": "did not",
      "isnt": "is not", "arent": "are not", "wasnt": "was not", "havent": "have not", "hasnt": "has not",
      "shes": "she is", "hes": "he is", "thats": "that is", "theyre": "they are", "whats": "what is", "whos": "who is",
      "wheres": "where is", "weve": "we have", "name's": "name is", "names": "name is", "bday": "birthday",
      "favorite": "favourite", "fav": "favourite", "fave": "favourite", "color": "colour", "u": "you",
    ]
    for pronoun in [
      "i", "you", "he", "she", "it", "we", "they", "that", "there", "what", "who", "where", "how", "when",
    ] {
      table["\(pronoun)'s"] = "\(pronoun) is"
      table["\(pronoun)'re"] = "\(pronoun) are"
      table["\(pronoun)'ve"] = "\(pronoun) have"
      table["\(pronoun)'ll"] = "\(pronoun) will"
      table["\(pronoun)'d"] = "\(pronoun) would"
    }
    table["i'm"] = "i am"
    return table
  }()

  private static func unquoted(_ message: String) -> String {
    let parts = message.split(omittingEmptySubsequences: false) { "\"“”«»".contains($0) }
    // A mark without its partner quotes nothing.
    guard parts.count % 2 == 1 else { return message }
    return parts.enumerated()
      .map { $0 % 2 == 1 && $1.split(separator: " ").count > 3 ? " , " : String($1) }
      .joined()
  }

  /// The words as they were said, in one line, in the third person where they speak of the speaker.
  static func written(_ tokens: ArraySlice<Token>, thirdPerson: Bool = true) -> String {
    var text = ""
    for token in tokens where !token.isBreak {
      let word = thirdPerson ? Pronouns.firstToThird[token.word] ?? token.text : token.text
      text += word == "'s" || text.isEmpty ? word : " " + word
    }
    return text
  }
}
