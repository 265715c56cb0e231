// SPDX-License-Identifier: Apache-2.0
/// What a message asks to be done with what is remembered, in plain words.
package enum MemoryWish: Sendable, Equatable {
  /// To forget these. `topic` is what they are about, as it is said to the person; empty: what was told last.
  case forget([Fact], topic: String)
  /// To keep these, and not to speak of them.
  case hush([Fact], topic: String)
  /// To forget what nothing is remembered of by these words, or not to speak of it.
  /// - words: as they were said.
  /// - isSure: whether it is surely a wish: "forget the bus, let's walk" is none.
  case nothing(topic: String, words: String, isHush: Bool, isSure: Bool)
  /// To forget what is not clear.
  case unclear
  case forgetEverything
  /// To take back what the pet has just said from memory.
  case takeBack

  /// The same, about a topic in which these words are spelled as names.
  fileprivate func naming(_ names: [String: String]) -> MemoryWish {
    func named(_ topic: String) -> String {
      topic.split(separator: " ").map { names[String($0)] ?? String($0) }.joined(separator: " ")
    }
    return switch self {
    case .forget(let facts, let topic): .forget(facts, topic: named(topic))
    case .hush(let facts, let topic): .hush(facts, topic: named(topic))
    case .nothing(let topic, let words, let isHush, let isSure):
      .nothing(topic: named(topic), words: words, isHush: isHush, isSure: isSure)
    case .unclear, .forgetEverything, .takeBack: self
    }
  }
}

/// Reads wishes by rules: a message that ends with one, in so many words. Pure.
package struct WishReader: Sendable {
  private let rules: WishRules
  private let facts: FactRules
  private let ranking: FactRanking
  private static let turned = [
    "my": "your", "our": "your", "mine": "yours", "me": "you", "i": "you", "am": "are", "we": "you", "us": "you",
  ]
  private static let anyDay = CivilDay(number: 0)

  package init(_ rules: WishRules = .standard, _ facts: FactRules = .standard) {
    self.rules = rules
    self.facts = facts
    ranking = FactRanking(facts)
  }

  /// - Parameters:
  ///   - known: all that is remembered and still holds.
  ///   - last: of them, those that the lines before told.
  ///   - pet: what it is called, by which it may be addressed.
  /// - Returns: nil where nothing is wished, or not surely.
  /// - Complexity: the number of patterns, and for the few messages that fit one the number of facts.
  package func wish(in message: String, among known: [Fact], last: [Fact], pet: String? = nil) -> MemoryWish? {
    guard !asksToKeep(message), let (sentence, start) = wished(message, pet) else { return nil }
    if isCut(message, sentence) { return isMeant(sentence, start) ? .unclear : nil }
    return wish(in: sentence, start, of: message, among: known, last: last, pet: pet)?.naming(Self.names(in: message))
  }

  private func wish(
    in sentence: Sentence, _ start: Int, of message: String, among known: [Fact], last: [Fact], pet: String?
  ) -> MemoryWish? {
    if has(rules.everything, sentence, start) { return .forgetEverything }
    if isButFor(sentence) { return .unclear }
    if !last.isEmpty, has(rules.last, sentence, start) { return .forget(last, topic: "") }
    // Where its words find nothing, those that wish it may stand elsewhere.
    let general = general(message, known, pet)
    let isFound = if case .nothing = general { false } else { general != nil }
    let named = [rules.about, rules.weak].lazy.compactMap { topic($0, sentence, start) }.first
    if let named, isOfSecret(named) { return nothing(named, isHush: false) }
    if let topic = topic(rules.hush, sentence, start) {
      let found = matching(topic, known)
      if found.isEmpty, isFound { return general }
      return found.isEmpty ? nothing(topic, isHush: true) : .hush(found, topic: said(topic))
    }
    if let topic = topic(rules.about, sentence, start) {
      let found = matching(topic, known)
      if found.isEmpty, isFound { return general }
      return found.isEmpty ? nothing(topic, isHush: false) : .forget(found, topic: said(topic))
    }
    if isFound { return general }
    if let topic = topic(rules.weak, sentence, start), case let found = matching(topic, known), !found.isEmpty,
      isPlain(topic, found)
    {
      return .forget(found, topic: said(topic))
    }
    if has(rules.wrong, sentence, start) { return .takeBack }
    return isMeant(sentence, start) ? .unclear : general
  }

  /// Whether what a wish is about has no letters: "forget what i said about 🦊".
  private func isCut(_ message: String, _ sentence: Sentence) -> Bool {
    guard let last = sentence.tokens.last?.word, ["about", "of", "my", "the"].contains(last) else { return false }
    return message.unicodeScalars.contains {
      $0.value > 0x7F && !$0.properties.isAlphabetic && !"’‘“”…–—".unicodeScalars.contains($0)
    }
  }

  /// A wish that stands anywhere in a message: what the words of its own clause name, or, where they name nothing, of all of it.
  private func general(_ message: String, _ known: [Fact], _ pet: String?) -> MemoryWish? {
    guard message.utf8.count <= 300 else { return nil }
    for sentence in Sentence.all(in: message) {
      for start in starts(of: sentence) {
        let begin = self.start(of: sentence, pet, from: start)
        guard let isHush = isHush(sentence, at: begin) else { continue }
        let clause = sentence.tokens[begin...].prefix { !$0.isBreak }.map(\.word)
        let all = Sentence.all(in: message).flatMap { $0.tokens.filter { !$0.isBreak }.map(\.word) }
        // A letter alone names nothing: "w" for "with".
        let topic = [clause, all].map { $0.filter { $0 != "'s" && $0.count > 1 && !rules.pale.contains($0) } }
          .first { !ranking.content($0.joined(separator: " ")).isEmpty }
        guard let topic else { return nil }
        let named = name(of: topic)
        let ids = topic.split { $0 == "or" || $0 == "and" }.reduce(into: Set<Int64>()) {
          $0.formUnion(sharing(ranking.content($1.joined(separator: " ")), known).map(\.id))
        }
        let found = known.filter { ids.contains($0.id) }
        // "Forget the bus, let's walk" wishes nothing.
        let isSure = !rules.telling.isDisjoint(with: clause)
        guard !found.isEmpty else { return nothing(named, isHush: isHush, isSure: isSure) }
        return isHush ? .hush(found, topic: said(named)) : .forget(found, topic: said(named))
      }
    }
    return nil
  }

  /// The words of a topic from the first that names something to where its name ends.
  private func name(of topic: [String]) -> [String] {
    var words = Array(topic.drop(while: rules.leading.contains).prefix { !rules.trailing.contains($0) })
    while let last = words.last, rules.leading.contains(last) { words.removeLast() }
    return words
  }

  /// Those that share most words with a topic, and any.
  private func sharing(_ words: [String], _ known: [Fact]) -> [Fact] {
    let counts = known.map { Self.shared(words, ranking.words(of: $0)).count }
    guard let most = counts.max(), most > 0 else { return [] }
    return zip(known, counts).filter { $0.1 == most }.map(\.0)
  }

  /// Where a clause may begin: with the sentence, behind a break, and where the pet is told what never to do.
  private func starts(of sentence: Sentence) -> [Int] {
    let tokens = sentence.tokens
    return tokens.indices.filter { index in
      guard index > 0, !tokens[index].isBreak else { return index == 0 }
      let (last, word) = (tokens[index - 1].word, tokens[index].word)
      let next = tokens.dropFirst(index + 1).first?.word
      let isTold = word == "never" && (last == "you" || next == "ever") || word == "do" && rules.telling.contains(last)
      let isComplaint = ["why", "how", "do", "did", "can"].contains(tokens[0].word)
      let isAsked = ["please", "pls", "plz", "kindly"].contains(word)
      return tokens[index - 1].isBreak || isAsked || isTold && !isComplaint
    }
  }

  /// The patterns that a clause begins with: of ``WishRules/general`` or ``WishRules/generalHush``; nil where it wishes nothing.
  private func isHush(_ sentence: Sentence, at begin: Int) -> Bool? {
    if match(rules.generalHush, sentence, begin, isLast: false) != nil { return true }
    return match(rules.general, sentence, begin, isLast: false) != nil ? false : nil
  }

  /// Whether any sentence of a message wishes something forgotten: nothing that it says is to be learned.
  package func isMeant(_ message: String, pet: String? = nil) -> Bool {
    !asksToKeep(message)
      && Sentence.all(in: message).contains { sentence in
        isMeant(sentence, self.start(of: sentence, pet))
          || starts(of: sentence).contains { isHush(sentence, at: self.start(of: sentence, pet, from: $0)) != nil }
      }
  }

  /// Whether a message asks for the contrary: "please do not forget my brother", "i never want you to forget him".
  package func asksToKeep(_ message: String) -> Bool {
    Sentence.all(in: message).contains { sentence in
      let words = sentence.tokens.map { $0.isBreak ? "," : $0.word }
      return words.indices.contains { place in
        guard Self.forgetting.contains(words[place]) else { return false }
        let isNothing = place + 1 < words.count && words[place + 1] == "nothing"
        let before = words[..<place]
        // Of "i should not have said that forget it" more than these stands between.
        guard let last = before.lastIndex(where: { !Self.beforeForgetting.contains($0) }) else { return isNothing }
        // "Why do not you forget it?" asks for it.
        let isDenied = ["not", "never"].contains(words[last]) && words[last + 1] != "you"
        return isDenied || isNothing
      }
    }
  }

  private static let forgetting: Set<String> = ["forget", "delete", "erase", "wipe"]
  private static let beforeForgetting: Set<String> = [
    "ever", "want", "need", "you", "to", "please", "go", "and", "just", "let",
  ]

  /// Whether all is meant but for something that it names: what that is no rule reads.
  private func isButFor(_ sentence: Sentence) -> Bool {
    let words = sentence.tokens.filter { !$0.isBreak }.map(\.word)
    guard let all = words.firstIndex(where: { ["everything", "all"].contains($0) }),
      words[..<all].contains(where: Self.forgetting.contains)
    else { return false }
    return words[all...].contains { ["except", "but", "besides", "apart"].contains($0) }
  }

  private func isMeant(_ sentence: Sentence, _ start: Int) -> Bool {
    rules.meant.contains { FactMatch.find($0, in: sentence, at: start, facts, today: Self.anyDay) != nil }
  }

  /// Words that are in both, or begin with the same five letters and are about as long: "drinking" and "drinker".
  private static func shared(_ words: [String], _ others: Set<String>) -> [String] {
    words.filter { word in
      others.contains(word)
        || word.count > 5
          && others.contains {
            $0.count > 4 && abs($0.count - word.count) < 4 && $0.prefix(5) == word.prefix(5)
          }
    }
  }

  /// Whether a message says yes to having everything forgotten, and nothing else: a word of yes, and beside it what may go with one.
  package func isYes(_ message: String, pet: String? = nil) -> Bool {
    let sentences = Sentence.all(in: message)
    let name = pet?.lowercased()
    let words = sentences.flatMap { $0.tokens.filter { !$0.isBreak && $0.word != name }.map(\.word) }
    guard (1...Self.longestYes).contains(words.count), !sentences.contains(where: \.isQuestion),
      words.contains(where: rules.yes.contains),
      words.allSatisfy({ rules.yes.contains($0) || rules.besideYes.contains($0) })
    else { return false }
    // "Do you", "you sure" and "I am okay" are no yes; "do it", "of course" and "I am sure" are.
    let start = words.drop { ["please", "pls", "plz", "of", "and", "just"].contains($0) }
    switch start.first {
    case "do": return start.dropFirst().first.map { ["it", "that", "so", "please"].contains($0) } ?? true
    case "i": return ["sure", "certain", "positive", "confirm", "do"].contains(words[words.count - 1])
    case let first?: return rules.yes.contains(first)
    case nil: return false
    }
  }

  /// What nobody is told and nothing is kept of: "forget my password" is about no memory.
  private func isOfSecret(_ topic: [String]) -> Bool { FactExtractor(facts).namesSecret(topic) }

  /// Whether a message tells something in a sentence beside its wish.
  package func tellsMore(_ message: String, pet: String? = nil) -> Bool {
    Sentence.all(in: message).contains { sentence in
      let start = start(of: sentence, pet)
      let words = sentence.tokens[start...].filter { !$0.isBreak }.map(\.word)
      let isPolite = words.allSatisfy { rules.after.contains($0) || rules.besideYes.contains($0) }
      return !sentence.isQuestion && !isPolite && !words.contains(where: Self.forgetting.contains)
        && topic(rules.hush, sentence, start) == nil && ranking.content(words.joined(separator: " ")).count > 1
    }
  }

  /// The last sentence that is more than requests and the pet's name, and where behind them it begins.
  private func wished(_ message: String, _ pet: String?) -> (Sentence, Int)? {
    guard message.utf8.count <= 300 else { return nil }
    return Sentence.all(in: message).map { ($0, start(of: $0, pet)) }.last { $0.1 < $0.0.tokens.count }
  }

  /// Words that have a capital inside a sentence, by the same in small letters.
  private static func names(in message: String) -> [String: String] {
    let capitals = Sentence.all(in: message).flatMap { $0.tokens.dropFirst().filter(\.isCapital) }
    return Dictionary(capitals.map { ($0.word, $0.text) }) { first, _ in first }
  }

  private func start(of sentence: Sentence, _ pet: String?, from first: Int = 0) -> Int {
    let name = pet?.lowercased()
    var start = first
    while start < sentence.tokens.count {
      let ends = rules.before.compactMap {
        FactMatch.find($0, in: sentence, at: start, facts, today: Self.anyDay)?.range.upperBound
      }
      if let end = ends.max() { start = end } else if sentence.tokens[start].word == name { start += 1 } else { break }
    }
    return start
  }

  /// - Parameter isLast: whether nothing may follow but a request.
  private func match(
    _ patterns: [FactPattern], _ sentence: Sentence, _ start: Int, isLast: Bool = true
  ) -> FactMatch? {
    patterns.lazy.compactMap { FactMatch.find($0, in: sentence, at: start, facts, today: Self.anyDay) }
      .first { match in
        !isLast || sentence.tokens[match.range.upperBound...].allSatisfy { rules.after.contains($0.word) }
      }
  }

  private func has(_ patterns: [FactPattern], _ sentence: Sentence, _ start: Int) -> Bool {
    match(patterns, sentence, start) != nil
  }

  /// What a wish is about: its words, without those that may follow.
  private func topic(_ patterns: [FactPattern], _ sentence: Sentence, _ start: Int) -> [String]? {
    guard let range = match(patterns, sentence, start)?.slots[.rest] else { return nil }
    var words = sentence.tokens[range].map(\.word)
    while let last = words.last, words.count > 1, rules.after.contains(last) { words.removeLast() }
    return words.first.map { rules.after.contains($0) } == false ? words : nil
  }

  /// In words.
  private static let (longestTopic, longestYes) = (7, 10)

  private func nothing(_ topic: [String], isHush: Bool, isSure: Bool = true) -> MemoryWish {
    .nothing(topic: said(topic), words: topic.joined(separator: " "), isHush: isHush, isSure: isSure)
  }

  /// A whole message is no name of anything.
  private func said(_ topic: [String]) -> String {
    guard (1...Self.longestTopic).contains(topic.count) else { return "that" }
    return topic.map { Self.turned[$0] ?? $0 }.joined(separator: " ").replacing(" 's", with: "'s")
  }

  /// Whether a topic says that it is the person's own, or names what these facts tell: "dinner" is near to much.
  private func isPlain(_ topic: [String], _ facts: [Fact]) -> Bool {
    let stems = Set(topic.map(Words.stem))
    return topic.contains { Self.turned[$0] != nil }
      || facts.allSatisfy { !stems.isDisjoint(with: Words.stems($0.text)) }
  }

  /// What is remembered of a topic, or of several with "and" between them.
  private func matching(_ topic: [String], _ known: [Fact]) -> [Fact] {
    let ids = topic.split(separator: "and").reduce(into: Set<Int64>()) {
      $0.formUnion(ofOne(Array($1), known).map(\.id))
    }
    return known.filter { ids.contains($0.id) }
  }

  /// Facts that have all words of the topic, or are of the kind that it names; and all of those whose names they tell.
  private func ofOne(_ topic: [String], _ known: [Fact]) -> [Fact] {
    let words = topic.filter { $0 != "'s" && Self.turned[$0] == nil && $0 != "user" }
    guard !words.isEmpty else { return [] }
    // "My name" is no other's.
    let isOwn = topic.contains("my") && !topic.contains("'s")
    let own = known.filter { fact in
      fact.subject == "user" && words.allSatisfy { ranking.cues[Words.stem($0)]?.contains(fact.kind) == true }
    }
    if isOwn, words == ["name"] { return known.filter { $0.subject == "user" && $0.kind == .name } }
    // A brother is near to a sister in meaning, and somebody else.
    let relations = words.compactMap(relation)
    let found = known.filter { fact in
      let told = Set(Words.of(fact.text).map { relation($0) ?? $0 } + [fact.subject])
      guard relations.allSatisfy(told.contains) else { return false }
      return words.count == 1 && relations.count == 1 || ranking.covers(words, by: fact, named: true)
    }
    let names = words.count == 1 && relations.count == 1 ? Set(found.flatMap(Self.names)) : []
    let small = Set(names.map { $0.lowercased() })
    return known.filter { fact in
      found.contains { $0.id == fact.id } || isOwn && relations.isEmpty && own.contains { $0.id == fact.id }
        || names.contains(fact.subject) || fact.subject != "user" && !names.isDisjoint(with: Self.names(in: fact))
        || fact.kind == .said && !small.isDisjoint(with: Words.of(fact.text))
    }
  }

  /// Also of more than one: "brothers".
  private func relation(_ word: String) -> String? {
    facts.relation(word) ?? (word.hasSuffix("s") ? facts.relation(String(word.dropLast())) : nil)
  }

  private static func names(in fact: Fact) -> [String] {
    guard [.people, .pet].contains(fact.kind) || fact.subject != "user" else { return [] }
    return fact.text.split(separator: " ").filter { $0.first?.isUppercase == true }.map(String.init)
  }
}
