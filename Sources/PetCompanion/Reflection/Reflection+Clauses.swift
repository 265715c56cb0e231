// SPDX-License-Identifier: Apache-2.0
import PetText

/// How a message is taken apart, and one part of it turned towards the person.
extension Reflection {
  /// In words.
  private static let longestClause = 10

  struct Clause {
    /// As they are typed, without marks at their ends.
    var typed: [String] = []
    var words: [String] = []
    /// Whether it stands behind a "but": there is the point of what was said.
    var isContrast = false
  }

  /// What stands between marks, or before a joint with a subject behind it.
  func clauses(of message: String, without name: String) -> [Clause] {
    var clauses: [Clause] = []
    var clause = Clause()
    func close(before joint: String? = nil) {
      // "But honestly, he scares me".
      let goesOn = clause.isContrast && clause.words.allSatisfy { $0 == "but" || openers.contains($0) }
      if !clause.words.isEmpty { clauses.append(clause) }
      clause = Clause(isContrast: goesOn || joint == "but")
    }
    for piece in message.replacing("\u{2019}", with: "'").split(whereSeparator: \.isWhitespace) {
      let marked = MarkedWord(piece, isInner: Self.isInner)
      let typed = String(marked.core)
      if !marked.opening.isEmpty, piece.first != "'" { close() }
      let word = typed.lowercased()
      // "Mum and dad" are one subject.
      if subjects.contains(word), clause.words.count > 2, joints.contains(clause.words[clause.words.count - 1]) {
        clause.typed.removeLast()
        close(before: clause.words.removeLast())
      }
      if word == "but", clause.words.isEmpty { clause.isContrast = true }
      // It may be a sweet as well.
      if !typed.isEmpty, word != name || !clause.words.isEmpty {
        clause.typed.append(typed)
        clause.words.append(word)
      }
      if !typed.isEmpty, !marked.closing.isEmpty, piece.last != "'" { close() }
    }
    close()
    return clauses
  }

  private static func isInner(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "£$€%".contains(character)
  }

  /// Not "hjkl", nor "aoeui".
  private static func isPronounceable(_ word: String) -> Bool {
    let letters = word.filter(\.isLetter)
    let vowels = letters.count { "aeiouyáéíóúäöüàèìòùâêîôûåøæœëïñ".contains($0) }
    return letters.count < 4 || vowels > 0 && vowels < letters.count
  }

  /// "7:30", but not "nice.you".
  private static func isWord(_ text: String) -> Bool {
    text.allSatisfy { isInner($0) || "'-".contains($0) }
      || text.allSatisfy { $0.isNumber || ".:".contains($0) || "£$€%".contains($0) }
  }

  /// Nil for what is no short whole statement.
  func restated(_ clause: Clause) -> (text: String, weight: Double)? {
    let trimmed = trimmed(shortened(clause))
    let words = trimmed.words
    guard let first = words.first, let last = words.last, words.count <= Self.longestClause, !asking.contains(first),
      !commands.contains(first),
      !asksWithin(words), !judges(words), !words.contains(where: reporting.contains), !hanging.contains(last),
      let turned = turned(trimmed)
    else { return nil }
    let functionWords = AnswerLines.standard.functionWords
    let telling = words.filter {
      $0.count > 2 && $0.first?.isNumber == false && !functionWords.contains($0.replacing("'", with: ""))
    }
    guard !telling.isEmpty, words.count > 1 || first.count > 3, words.count < 3 || Set(words).count > words.count / 2,
      words.allSatisfy(Self.isPronounceable)
    else { return nil }
    let hasForeignLetters = words.joined().contains { $0.isLetter && !$0.isASCII }
    // English is hardly said without its small words.
    guard telling.count < words.count || words.count < (hasForeignLetters ? 3 : 5) else { return nil }
    var weight = Double(min(telling.count, 3))
    if clause.isContrast, words.count > 2 { weight += 1 }
    if (3...7).contains(words.count) { weight += 0.5 }
    // "In a good way" leaves out what was so.
    if prepositions.contains(first) { weight -= 1 }
    return (turned.joined(separator: " "), weight)
  }

  /// Of too many words those before a joint.
  private func shortened(_ clause: Clause) -> Clause {
    guard clause.words.count > Self.longestClause,
      let joint = (2...Self.longestClause).first(where: { joints.contains(clause.words[$0]) })
    else { return clause }
    var short = clause
    short.typed = Array(clause.typed.prefix(joint))
    short.words = Array(clause.words.prefix(joint))
    return short
  }

  private func trimmed(_ clause: Clause) -> Clause {
    var words = clause.words[...]
    while let first = words.first,
      openers.contains(first) || first == "so" && words.dropFirst().first.map(isBegin) == true
    {
      words = words.dropFirst()
    }
    while let last = words.last, words.count > 1 {
      if let phrase = closingPhrases.first(where: { words.count > $0.count && words.suffix($0.count).elementsEqual($0) }
      ) {
        words = words.dropLast(phrase.count)
      } else if closers.contains(last) {
        words = words.dropLast()
      } else {
        break
      }
    }
    var trimmed = clause
    trimmed.typed = Array(clause.typed[words.indices])
    trimmed.words = Array(words)
    return trimmed
  }

  /// Whether "so" before it is no "so much".
  private func isBegin(_ word: String) -> Bool {
    subjects.contains(word) || commands.contains(word) || asking.contains(word)
  }

  /// "No idea what to do", "tea or coffee".
  private func asksWithin(_ words: [String]) -> Bool {
    words.contains("or")
      || zip(words, words.dropFirst()).contains {
        ["what", "how", "why", "where", "who", "when"].contains($0)
          && ["do", "does", "did", "should", "can", "is", "are", "to", "would", "shall", "am"].contains($1)
      }
  }

  /// "I am dumb", "im a bad mother": not to be said to anybody. "I'm on the bus" is.
  private func judges(_ words: [String]) -> Bool {
    let isOfSelf =
      ["im", "i'm"].contains(words[0]) || words[0] == "i" && ["am", "was"].contains(words.dropFirst().first)
    let rest = words.drop { ["im", "i'm", "i", "am", "was", "so", "just", "now", "still", "really"].contains($0) }
    guard isOfSelf, let next = rest.first else { return false }
    return !(prepositions.contains(next) || next.hasSuffix("ing") || next.first?.isNumber == true)
  }

  /// "I was" becomes "you were", "theres" "there's". Nil for what is about the pet, or written in other signs.
  private func turned(_ clause: Clause) -> [String]? {
    var turned: [String] = []
    var previous = ""
    let isShouted = !clause.typed.joined().contains(where: \.isLowercase)
    for (typed, word) in zip(clause.typed, clause.words) {
      guard !you.contains(word), Self.isWord(typed) else { return nil }
      let isOwn = previous == "i" || previous == "we"
      switch word {
      // The letters of "I'll" and of what is not well.
      case "ill" where turned.isEmpty: return nil
      case "its" where turned.isEmpty: turned.append("it's")
      case "am" where isOwn: turned.append("are")
      case "was" where isOwn: turned.append("were")
      case "wasn't" where isOwn, "wasnt" where isOwn: turned.append("weren't")
      // The country.
      case "us" where typed == "US" && !isShouted: turned.append(typed)
      default: turned.append(persons[word] ?? spellings[word] ?? (isShouted ? word : typed))
      }
      previous = word
    }
    return turned
  }
}
