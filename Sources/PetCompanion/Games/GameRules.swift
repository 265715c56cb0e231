// SPDX-License-Identifier: Apache-2.0
import PetText

/// Which games and stories a pet knows, how people ask for them, and what is said in them, written by hand: `prompts/games.json`.
package struct GameRules: Sendable, Decodable {
  package struct Riddle: Sendable, Decodable {
    package let riddle: String
    package let answers: [String]
    package let hint: String
    package let told: String
  }

  package struct Place: Sendable, Decodable {
    package let place: String
    package let words: Set<String>
    /// Numbers of those close to it.
    package let near: [Int]
  }

  package struct Question: Sendable, Decodable {
    package let id: String
    package let ask: String
  }

  /// What somebody may think of, and the questions to which yes, or neither yes nor no, is the answer.
  package struct Thing: Sendable, Decodable {
    package let name: String
    package let yes: Set<String>
    package let maybe: Set<String>
  }

  package struct Story: Sendable, Decodable {
    package let title: String
    package let about: Set<String>
    package let parts: [String]
  }

  enum Line: String, Sendable, CaseIterable, Decodable, CodingKeyRepresentable {
    case numberBegins = "number_begins"
    case higher, lower, found
    case notBetween = "not_between"
    case gaveUpNumber = "gave_up_number"
    case riddleBegins = "riddle_begins"
    case right, wrong
    case hintBegins = "hint_begins"
    case noMoreHints = "no_more_hints"
    case hidingBegins = "hiding_begins"
    case warm, cold
    case foundMe = "found_me"
    case gaveUpHiding = "gave_up_hiding"
    case hidingHint = "hiding_hint"
    case wordsBegin = "words_begin"
    case wrongLetter = "wrong_letter"
    case usedWord = "used_word"
    case noWordLeft = "no_word_left"
    case twentyBegins = "twenty_begins"
    case twentyAsks = "twenty_asks"
    case twentyGuesses = "twenty_guesses"
    case twentyFound = "twenty_found"
    case twentyBeaten = "twenty_beaten"
    case handsBegin = "hands_begin"
    case handsMine = "hands_mine"
    case handsYours = "hands_yours"
    case handsSame = "hands_same"
    case handsIWin = "hands_i_win"
    case handsYouWin = "hands_you_win"
    case storyGoesOn = "story_goes_on"
    case storyEnds = "story_ends"
    case stopped
    case offer
  }

  private enum CodingKeys: String, CodingKey {
    case asks, alone, ends, hints, gives, goesOn = "goes_on", lines, riddles, words, places, stories, answers,
      questions,
      things
  }

  private let asks: [(kind: Pastime.Kind, patterns: WordPatterns)]
  /// Names of games and "a story", which ask for it where nothing else is said.
  private let alone: [(kind: Pastime.Kind, patterns: WordPatterns)]
  private let offers: WordPatterns
  private let ending, hinting, giving, going: WordPatterns
  /// Ways to say yes, no, and neither.
  private let answers: [(answer: TwentyQuestions.Answer, patterns: WordPatterns)]
  private let lines: [Line: [String]]
  package let riddles: [Riddle]
  /// Nouns by their first letter.
  package let words: [String: [String]]
  package let places: [Place]
  package let stories: [Story]
  /// Of twenty questions.
  package let questions: [Question]
  package let things: [Thing]

  /// - Throws: `DecodingError` where a pattern is malformed or something is missing.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func patterns(_ texts: [String], _ key: CodingKeys) throws -> WordPatterns {
      try WordPatterns(texts, sets: [:], at: [key])
    }
    let asks = try values.decode([String: [String]].self, forKey: .asks)
    self.asks = try Pastime.Kind.allCases.map { ($0, try patterns(asks[$0.rawValue] ?? [], .asks)) }
    let alone = try values.decode([String: [String]].self, forKey: .alone)
    self.alone = try Pastime.Kind.allCases.map { ($0, try patterns(alone[$0.rawValue] ?? [], .alone)) }
    offers = try patterns(asks["any"] ?? [], .asks)
    ending = try patterns(try values.decode([String].self, forKey: .ends), .ends)
    hinting = try patterns(try values.decode([String].self, forKey: .hints), .hints)
    giving = try patterns(try values.decode([String].self, forKey: .gives), .gives)
    going = try patterns(try values.decode([String].self, forKey: .goesOn), .goesOn)
    lines = try values.decode([Line: [String]].self, forKey: .lines)
    riddles = try values.decode([Riddle].self, forKey: .riddles)
    words = try values.decode([String: [String]].self, forKey: .words)
    places = try values.decode([Place].self, forKey: .places)
    stories = try values.decode([Story].self, forKey: .stories)
    let answers = try values.decode([String: [String]].self, forKey: .answers)
    self.answers = try [(.maybe, "maybe"), (.no, "no"), (.yes, "yes")].map {
      ($0, try patterns(answers[$1] ?? [], .answers))
    }
    questions = try values.decode([Question].self, forKey: .questions)
    things = try values.decode([Thing].self, forKey: .things)
    let isWhole =
      Line.allCases.allSatisfy { lines[$0]?.isEmpty == false } && !riddles.isEmpty && !stories.isEmpty
      && places.count > 1
      && stories.allSatisfy { !$0.parts.isEmpty } && riddles.allSatisfy { !$0.answers.isEmpty }
      && places.allSatisfy { place in place.near.allSatisfy(places.indices.contains) }
      && words.values.contains { !$0.isEmpty } && things.count > 1
      && questions.contains { question in
        let yes = things.count { $0.yes.contains(question.id) }
        return yes > 0 && yes < things.count
      }
    guard isWhole else {
      throw DecodingError.dataCorruptedError(
        forKey: .lines, in: values, debugDescription: "every game needs its lines and what it is played with")
    }
  }

  /// Those that are built in.
  package static let standard: GameRules = BuiltInText.decode("games.json", PackageResources.games_json)

  /// What a line asks to play; nil for any other. Complexity: linear in the words.
  package func asked(_ words: [String]) -> Pastime.Kind? {
    guard words.count <= 16 else { return nil }
    let own = alone.first { begins($0.patterns, words, atMost: 5) }
    return own?.kind ?? asks.first { !$0.patterns.matches(in: words).isEmpty }?.kind
  }

  /// Whether a line asks to play, and not what.
  package func asksForAny(_ words: [String]) -> Bool { words.count <= 12 && !offers.matches(in: words).isEmpty }

  /// Yes, no or neither, where a short line begins with it and tells nothing else; "definitely not" is no.
  package func answer(_ words: [String]) -> TwentyQuestions.Answer? {
    let isOfOneself = words.dropFirst().contains { Self.personal.contains($0) }
    guard !isOfOneself || words.first.map(Self.personal.contains) == true,
      let found = answers.first(where: { begins($0.patterns, words, atMost: 6) })?.answer
    else { return nil }
    return found == .yes && words.contains("not") ? .no : found
  }

  private static let personal: Set<String> = ["i", "im", "ive", "my", "me", "we", "our", "us", "you", "your"]

  func ends(_ words: [String]) -> Bool { begins(ending, words, atMost: 9) }
  func asksForHint(_ words: [String]) -> Bool { words.count <= 8 && !hinting.matches(in: words).isEmpty }
  func givesUp(_ words: [String]) -> Bool { words.count <= 8 && !giving.matches(in: words).isEmpty }
  func goesOn(_ words: [String]) -> Bool { begins(going, words, atMost: 5) }

  private func begins(_ patterns: WordPatterns, _ words: [String], atMost most: Int) -> Bool {
    words.count <= most && patterns.matches(in: words).contains { $0.start == 0 }
  }

  /// - Parameter values: what stands for "{word}" in it.
  func line(_ line: Line, _ values: [String: String], _ choice: UInt64) -> String {
    guard let lines = lines[line], !lines.isEmpty else { return "" }
    return values.reduce(lines[Int(choice % UInt64(lines.count))]) {
      $0.replacing("{\($1.key)}", with: $1.value.singleSpaced.withoutBraces)
    }
  }

  /// As they are written.
  package var all: [String] { lines.values.flatMap(\.self) }
}
