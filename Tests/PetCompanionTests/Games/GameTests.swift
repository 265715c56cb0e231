// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("Games and stories that go on from line to line")
struct GameTests {
  private static let rules = GameRules.standard

  private static func begin(_ kind: Pastime.Kind, choice: UInt64 = 41, asked: String = "") -> Pastime.Move {
    Pastime.begin(kind, asked: FoldedText.words(asked), rules, choice: choice)
  }

  private static func hear(_ game: Pastime?, _ line: String, choice: UInt64 = 7) -> Pastime.Move? {
    game?.hear(FoldedText.words(line), rules, choice: choice)
  }

  @Test(
    "who asks to play, and what",
    arguments: [
      ("let's play guess the number", Pastime.Kind.number), ("can we play a number game", .number),
      ("tell me a riddle", .riddle),
      ("Riddles!", .riddle), ("another riddle please", .riddle), ("lets play hide and seek", .hiding),
      ("hide and seek", .hiding),
      ("lets play word chain", .words), ("tell me a story about a dragon", .story), ("a bedtime story please", .story),
      ("lets play 20 questions", .twenty), ("Twenty questions!", .twenty),
      ("can you guess what i am thinking of", .twenty),
      ("rock paper scissors?", .hands), ("wanna play rock, paper, scissors", .hands),
    ])
  func asked(_ line: String, _ kind: Pastime.Kind) { #expect(Self.rules.asked(FoldedText.words(line)) == kind) }

  @Test(
    "and who does not",
    arguments: [
      "i played hide and seek with my niece", "that is a long story", "it was a riddle to me",
      "guess what number bus i took", "my story is boring",
      "i told her a story", "the number is engaged", "he hid the keys", "she asked me twenty questions",
      "my scissors cut paper", "i have 20 questions in the exam", "dont worry, i'll think of something",
      "i have to do 20 questions for maths homework", "i played rock paper scissors with my niece",
      "i lost at rock paper scissors",
    ])
  func notAsked(_ line: String) {
    #expect(Self.rules.asked(FoldedText.words(line)) == nil && !Self.rules.asksForAny(FoldedText.words(line)))
  }

  @Test("which games there are is told to who asks for any")
  func any() {
    for line in ["do you want to play a game?", "what games do you know", "let's play a game!"] {
      #expect(Self.rules.asksForAny(FoldedText.words(line)), "\(line)")
    }
  }

  @Test("a number is found by halves in seven guesses at most", arguments: [UInt64(0), 41, 99, .max])
  func number(_ choice: UInt64) throws {
    var game = Self.begin(.number, choice: choice).next
    var (low, high) = (1, 100)
    for guess in 1...7 {
      let middle = (low + high) / 2
      let move = try #require(Self.hear(game, guess == 2 ? "is it \(middle)?" : "\(middle)", choice: 0))
      game = move.next
      guard game != nil else {
        #expect(move.text.contains("\(middle)") && move.text.contains("guess"))
        return
      }
      if move.text.hasPrefix("Higher") { low = middle + 1 } else { high = middle - 1 }
    }
    Issue.record("not found")
  }

  @Test("numbers in words, beyond the range, and none")
  func guesses() throws {
    let game = Pastime.number(NumberGame(secret: 60))
    #expect(Self.hear(game, "sixty!")?.next == nil && Self.hear(game, "fifty")?.next != nil)
    #expect(Self.hear(game, "9999999999999999999999") == nil && Self.hear(game, "my bus was late again") == nil)
    #expect(Self.hear(Pastime.number(NumberGame(secret: 55)), "is it fifty five?")?.next == nil)
    #expect(Self.hear(Pastime.number(NumberGame(secret: 100)), "one hundred")?.next == nil)
    #expect(Self.hear(Pastime.number(NumberGame(secret: 20)), "twenty, or fifty")?.next == nil)
    let beyond = try #require(Self.hear(game, "101"))
    #expect(beyond.next == game && beyond.text.contains("100"))
    #expect(Self.hear(game, "i give up")?.text.contains("60") == true)
  }

  @Test("each riddle is solved by its answers, helps once, and is told in the end")
  func riddles() throws {
    for (index, riddle) in Self.rules.riddles.enumerated() {
      let game = Pastime.riddle(RiddleGame(index: index))
      for answer in riddle.answers {
        #expect(
          Self.hear(game, "is it \(answer)?")?.next == nil
            && Self.hear(game, answer)?.text.contains(riddle.told) == true, "\(answer)")
      }
      let hint = try #require(Self.hear(game, "a hint please"))
      #expect(hint.text.contains(riddle.hint))
      #expect(Self.hear(hint.next, "another hint")?.text.contains(riddle.hint) == false)
      #expect(Self.hear(game, "i give up")?.text == riddle.told)
    }
    var game: Pastime? = .riddle(RiddleGame(index: 0))
    var texts: [String] = []
    while let now = game, texts.count < 10 {
      let move = try #require(Self.hear(now, "a purple tram"))
      texts.append(move.text)
      game = move.next
    }
    #expect(texts.count == 6 && texts.last == Self.rules.riddles[0].told)
    #expect(Self.hear(.riddle(RiddleGame(index: 0)), "my mum is calling me for dinner now") == nil)
  }

  @Test("who hides is warm beside the place, and found in it")
  func hiding() throws {
    for (index, place) in Self.rules.places.enumerated() {
      let game = Pastime.hiding(HidingGame(place: index))
      let word = try #require(place.words.sorted().first)
      #expect(Self.hear(game, "are you by the \(word)?")?.text.contains(place.place) == true)
      let near = try #require(place.near.first)
      let beside = try #require(Self.rules.places[near].words.sorted().first { !place.words.contains($0) })
      let warm = try #require(Self.hear(game, "the \(beside)"))
      #expect(warm.text.lowercased().contains("warm") && warm.next != nil)
    }
    #expect(Self.hear(.hiding(HidingGame(place: 0)), "i had toast for breakfast") == nil)
    #expect(Self.hear(.hiding(HidingGame(place: 0)), "behind the moon")?.next != nil)
  }

  @Test("a chain of words takes each once, by its letter")
  func words() throws {
    var move = Self.begin(.words)
    guard case .words(let chain)? = move.next else {
      Issue.record("no chain")
      return
    }
    let letter = String(chain.last.suffix(1))
    let own = try #require(Self.rules.words[letter]?.first { !chain.used.contains($0) })
    #expect(Self.hear(move.next, "\(letter == "q" ? "z" : "q")uux")?.next == move.next)
    move = try #require(Self.hear(move.next, own))
    #expect(Self.hear(move.next, own) != nil)
    #expect(Self.hear(move.next, "what do you think of trams") == nil)
    for (letter, nouns) in Self.rules.words {
      #expect(nouns.allSatisfy { $0.hasPrefix(letter) } && Set(nouns).count == nouns.count)
    }
  }

  /// What an honest person answers.
  private static func answer(_ id: String, of thing: GameRules.Thing) -> String {
    thing.maybe.contains(id) ? "sometimes" : thing.yes.contains(id) ? "yes!" : "no it isnt"
  }

  @Test("everything is found in twenty questions, also beside one wrong answer where others tell enough")
  func twenty() throws {
    var found = 0
    for thing in Self.rules.things {
      for wrong in [nil, 3] {
        var (move, count) = (Self.begin(.twenty), 0)
        while case .twenty(let game)? = move.next, count < 25 {
          count += 1
          let line: String
          switch game.step {
          case .question(let index):
            let own = Self.answer(Self.rules.questions[index].id, of: thing)
            line = count == wrong ? (own == "yes!" ? "no" : "yes") : own
          case .guess(let index): line = Self.rules.things[index].name == thing.name ? "yes" : "nope"
          }
          move = try #require(Self.hear(move.next, line))
        }
        #expect(move.next == nil && count <= 20, "\(thing.name)")
        let isFound = move.text.lowercased().contains(thing.name.lowercased())
        #expect(wrong != nil || isFound, "\(thing.name): \(move.text)")
        if wrong != nil, isFound { found += 1 }
      }
    }
    #expect(found * 10 >= Self.rules.things.count * 7, "\(found)")
    let game = Self.begin(.twenty).next
    #expect(Self.hear(game, "my bus was late again") == nil)
    #expect(Self.hear(game, "stop")?.next == nil)
  }

  @Test("each pair of things differs in what is plainly yes of one and no of the other")
  func things() {
    let things = Self.rules.things
    let ids = Set(Self.rules.questions.map(\.id))
    for (index, one) in things.enumerated() {
      #expect(one.yes.union(one.maybe).isSubset(of: ids) && one.yes.isDisjoint(with: one.maybe), "\(one.name)")
      for other in things[(index + 1)...] {
        let differences = one.yes.symmetricDifference(other.yes).subtracting(one.maybe).subtracting(other.maybe)
        #expect(!differences.isEmpty, "\(one.name), \(other.name)")
      }
    }
  }

  @Test("who wins with rock, paper and scissors, to three; what the pet shows is not foreseen")
  func hands() throws {
    let choice = try #require((UInt64(0)..<50).first { HandsGame.hand(for: $0) == "paper" })
    var (move, lines) = (Self.begin(.hands), 0)
    while move.next != nil, lines < 10 {
      move = try #require(Self.hear(move.next, "scissors!", choice: choice))
      lines += 1
      #expect(move.text.contains("paper"))
    }
    #expect(lines == 3 && move.text.contains("3 to 0"))
    let game = Self.begin(.hands).next
    #expect(Self.hear(game, "i choose paper", choice: choice)?.next == game)
    #expect(Self.hear(game, "rock", choice: choice)?.text.contains("0 to 1") == true)
    for line in ["paper or rock?", "my bus was late", "i like rock music", "my paper is due"] {
      #expect(Self.hear(game, line) == nil, "\(line)")
    }
    let shown = (UInt64(0)..<300).map(HandsGame.hand)
    let pairs = Set(zip(shown, shown.dropFirst()).map { "\($0) \($1)" })
    #expect(pairs.count == 9 && Set(shown).allSatisfy { hand in (70...130).contains(shown.count { $0 == hand }) })
  }

  @Test(
    "what answers a question of the twenty, and what is talk",
    arguments: [
      ("yes", TwentyQuestions.Answer.yes), ("yeah it does", .yes), ("no", .no), ("no it isnt", .no), ("nope!", .no),
      ("definitely not", .no), ("of course not", .no), ("sometimes", .maybe), ("i dont know", .maybe),
      ("i think so", .yes),
      ("not feeling great today", nil), ("no one came to my party", nil), ("some guy yelled at me", nil),
      ("yes my mum is here now", nil), ("my bus was late again", nil),
    ])
  func answers(_ line: String, _ answer: TwentyQuestions.Answer?) {
    #expect(Self.rules.answer(FoldedText.words(line)) == answer)
  }

  @Test("a story comes in parts, and is about what it was asked for")
  func stories() throws {
    for (index, story) in Self.rules.stories.enumerated() {
      var game: Pastime? = .story(StoryTelling(index: index, part: 0))
      for part in story.parts {
        let move = try #require(Self.hear(game, "go on"))
        #expect(move.text.contains(part))
        game = move.next
      }
      #expect(game == nil)
      #expect(Self.hear(.story(StoryTelling(index: index)), "i had a bad day at work") == nil)
    }
    let word = try #require(Self.rules.stories.last?.about.sorted().first)
    let asked = Self.begin(.story, asked: "tell me a story about a \(word)")
    #expect(Self.rules.stories.contains { $0.about.contains(word) && asked.text.hasPrefix($0.title) })
  }

  @Test("each can be stopped", arguments: Pastime.Kind.allCases)
  func stopped(_ kind: Pastime.Kind) throws {
    let game = Self.begin(kind).next
    for line in ["stop", "Stop the game", "lets stop", "i don't want to play anymore"] {
      let move = try #require(Self.hear(game, line))
      #expect(move.next == nil, "\(line)")
    }
  }

  @Test("all that is said may be said")
  func lines() {
    let texts =
      Self.rules.all + Self.rules.riddles.flatMap { [$0.riddle, $0.hint, $0.told] }
      + Self.rules.stories.flatMap { [$0.title] + $0.parts }
      + Self.rules.places.map(\.place)
    for text in texts {
      #expect(ReplyCheck.standard.verdict(on: text) == .pass, "\(text)")
    }
    #expect(Self.rules.riddles.count >= 60 && Self.rules.stories.count >= 24 && Self.rules.places.count >= 16)
  }
}
