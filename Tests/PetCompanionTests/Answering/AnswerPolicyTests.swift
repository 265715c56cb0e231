// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import PetRuntime
import Testing

@Suite("Who answers a line")
struct AnswerPolicyTests {
  private static let all = Set(Rung.allCases)

  /// Memory that knows what a test says.
  private struct Memory: LineMemory {
    var recollection: Recollection?
    var isRecalled = false
    var news: ToldFact?
    var facts: [KnownFact] = []
    let vectors = StatementVectors()

    func known(besides lines: [String]) -> [KnownFact] { facts }
    func isOfOthers(_ line: String) -> Bool { false }
    func mayQuote(_ line: String) -> Bool { !line.contains("password") }
  }

  private func facts(
    _ message: String, after heard: [String] = [], _ memory: Memory = Memory(), isSimple: Bool = true,
    isWeak: Bool = true, safety: SafetyState = SafetyState()
  ) throws -> TurnFacts {
    let line = TurnFacts.Line(
      message, after: heard, danger: DangerDetector().reading(of: message, after: heard), safety: safety,
      isOpening: heard.isEmpty)
    let pet = TurnFacts.Pet(
      try PersonaCatalog().entry("mochi").persona, name: "mochi", PetManner(PetState(), isNight: false))
    let facts = TurnFacts(
      line, pet, TurnFacts.Model(isSimple: isSimple, isWeak: isWeak), care: CareRung(.adult, region: nil))
    facts.memory = memory
    return facts
  }

  private func decision(_ facts: TurnFacts, open: Set<Rung> = AnswerPolicyTests.all) -> AnswerDecision {
    AnswerPolicy.first(facts, open: open).map(AnswerDecision.say) ?? AnswerPolicy.decide(facts, open: open)
  }

  private func rung(_ facts: TurnFacts, open: Set<Rung> = AnswerPolicyTests.all) -> Rung? {
    guard case .say(let words) = decision(facts, open: open) else { return nil }
    return words.rung
  }

  private func terms(_ facts: TurnFacts, open: Set<Rung> = AnswerPolicyTests.all) throws -> Brief.Terms {
    guard case .ask(let terms) = decision(facts, open: open) else {
      Issue.record("a written line answers")
      return Brief.Terms()
    }
    return terms
  }

  /// Behind danger, once the talk goes on to other things.
  private var watching: SafetyState {
    var safety = SafetyState()
    safety.note(.alarm(DangerFinding(.suicide, .rule, likelihood: 1)))
    for _ in 0..<StayPolicy.turnsAnswered { safety.note(.stay(.suicide, .nothing)) }
    return safety
  }

  @Test("every rung has its place; the grave ones come first")
  func order() {
    #expect(Set(AnswerPolicy.rows.map(\.rung)) == Self.all)
    #expect(AnswerPolicy.rows.prefix(4).map(\.rung) == [.care, .honesty, .game, .memory])
    #expect(AnswerPolicy.rows.filter { $0.way == .first }.map(\.rung) == [.care, .honesty])
    #expect(Rung.required == [.care, .honesty, .memory, .model, .replacement])
  }

  @Test("near danger nothing light is said: what is grave, what is remembered or not, and the model")
  func nearDanger() {
    #expect(
      Set(AnswerPolicy.rows.filter(\.gates.nearDanger).map(\.rung))
        == Rung.required.union([.told, .untold, .limits, .sympathy]))
  }

  @Test("while danger is minded, no joke, no sum, no exchange, and nothing of what was said is said back")
  func whileWatching() {
    #expect(
      Set(AnswerPolicy.rows.filter(\.gates.watching).map(\.rung))
        == Rung.required.union([.untold, .frequent, .incomprehension, .kept]))
  }

  @Test("in the place of another model only what is sure is said")
  func otherModels() {
    #expect(
      Set(AnswerPolicy.rows.filter(\.gates.capable).map(\.rung))
        == Rung.required.union([.game, .told, .untold, .life, .joke, .frequent, .bank, .kept]))
  }

  @Test(
    "each line is answered by its rung",
    arguments: [
      ("i want to kill myself", Rung.care), ("are you a real person?", .honesty), ("Hello!", .frequent),
      ("tell me a joke", .joke), ("what did you do today?", .life), ("what is 7 times 6?", .sum),
      ("which day comes after thursday?", .knowledge),
      ("¿Tienes hambre?", .incomprehension),
      ("will it rain on saturday afternoon?", .limits),
    ])
  func rungs(message: String, rung: Rung) throws {
    #expect(try self.rung(facts(message)) == rung)
    // Another model is asked, but for what is sure.
    let isSure = AnswerPolicy.rows.contains { $0.rung == rung && $0.gates.capable }
    #expect(try self.rung(facts(message, isSimple: false, isWeak: false)) == (isSure ? rung : nil))
    guard !Rung.required.contains(rung) else { return }
    #expect(try self.rung(facts(message), open: Self.all.subtracting([rung])) != rung)
  }

  @Test(
    "a word that danger is often told with leaves jokes, sums and frequent lines to the model",
    arguments: [
      ("tell me a joke", "tell me a joke about a noose"), ("what is 20 plus 15?", "what is 20 plus 15 pills?"),
      ("tell me a story", "tell me a secret"), ("¿Tienes hambre?", "¿Tienes hambre? suicide"),
    ])
  func lightLines(plain: String, near: String) throws {
    #expect(try rung(facts(plain)) != nil && facts(near).isNearDanger)
    #expect(try rung(facts(near)) == nil)
    #expect(try !terms(facts(near)).isHeld && !terms(facts(near)).mayRepeat)
  }

  @Test("a word that danger is often told with leaves a sorrow its sympathy, and a doctor's question to the doctor")
  func graveLines() throws {
    let sad = try facts("i lost my grandma on sunday")
    #expect(sad.isNearDanger)
    let held = try #require(try terms(sad).held)
    // Her words are not said back.
    #expect(held.rung == .sympathy && !held.reply.text.contains("grandma"))
    let ill = try facts("my dog ate a box of raisins, does he need medicine?")
    #expect(ill.isNearDanger)
    #expect(rung(ill) == .limits)
  }

  @Test("what memory knows is told before all but danger, also near it and behind it")
  func memory() throws {
    let known = Memory(recollection: .known(Reply(text: "Your dog died in May."), fact: nil))
    for safety in [SafetyState(), watching] {
      #expect(try rung(facts("when did my dog die?", known, safety: safety)) == .memory)
      #expect(try rung(facts("i want to kill myself", known, safety: safety)) == .care)
    }
    var unknown = Memory(
      recollection: .unknown(Reply(text: "You never told me."), missing: "your gate", isOfOneself: true))
    #expect(try rung(facts("quickly, which gate?", unknown)) == .untold)
    // A line told it.
    unknown.facts = [KnownFact(text: "has a horse named Saffron", clause: "you have a horse named Saffron")]
    let lines = ["i was late for work", "my flight is at gate C12"]
    let heard = try facts("quickly, which gate?", after: lines, unknown)
    #expect(try rung(heard) == .told)
    // It only has a word that danger is told with.
    let line = "i play marabaraba with the cleaner, bra Sipho, he is 66 and cruel"
    let beaten = try facts("who beats me at the board?", after: [line], Memory())
    #expect(beaten.isNearDanger && rung(beaten) == .told)
  }

  @Test("behind danger a greeting is not answered as if nothing had happened, and a frequent question is")
  func frequent() throws {
    #expect(try rung(facts("Hello!", safety: watching)) == .care)
    #expect(try rung(facts("Hello!", isSimple: false, safety: watching)) == nil)
    #expect(try rung(facts("what is your name?", safety: watching)) == .frequent)
    #expect(try rung(facts("tell me a riddle", safety: watching)) == .care)
  }

  @Test("what was told is said to who asks in other words, whoever would be asked; the person's line in its marks")
  func told() throws {
    let fact = KnownFact(text: "has a horse named Saffron", clause: "you have a horse named Saffron")
    let line = KnownFact(text: "our horse is saffron, a mare", clause: "", isQuoted: true, told: 9)
    for isSimple in [true, false] {
      for (known, words) in [
        (fact, "ou have a horse named Saffron"), (line, "“our horse is saffron, a mare”"),
      ] {
        let facts = try facts("what is our horse called?", Memory(facts: [known]), isSimple: isSimple)
        guard case .say(let written) = decision(facts) else {
          Issue.record("\(known)")
          continue
        }
        #expect(written.rung == .told && written.reply.text.contains(words), "\(written.reply.text)")
      }
    }
  }

  @Test("what a rule finds is said, but where the person has said otherwise since")
  func outdated() throws {
    let line = KnownFact(text: "sorry my dentist is on thursday now", clause: "", isQuoted: true, told: 9)
    for (told, rung) in [(Int64(5), Rung.told), (20, .memory)] {
      let fact = KnownFact(text: "friday", clause: "", told: told)
      let memory = Memory(recollection: .known(Reply(text: "Your dentist is on Friday."), fact: fact), facts: [line])
      #expect(try self.rung(facts("when is my dentist?", memory)) == rung)
    }
  }

  @Test(
    "who asks for a joke gets one from its own rung, or leaves the line to the model",
    arguments: ["tell me a joke", "got any jokes?"])
  func jokes(message: String) throws {
    #expect(try rung(facts(message)) == .joke)
    #expect(try rung(facts(message, isSimple: false, safety: watching)) == nil)
    #expect(try rung(facts(message), open: Self.all.subtracting([.joke])) == nil)
  }

  @Test("a weak model's reply to bad news is held to a sorrow, to good news to nothing; plain words are offered back")
  func sympathy() throws {
    let terms = try terms(facts("i lost my grandma on sunday"))
    #expect(terms.held?.rung == .sympathy)
    #expect(try self.terms(facts("i lost my grandma on sunday"), open: Self.all.subtracting([.sympathy])).held == nil)
    #expect(try self.terms(facts("we won the cup!!")).held == nil)
    let plain = try self.terms(facts("the lamps on our street are orange"))
    #expect(plain.held == nil && plain.offered?.reply.text.contains("The lamps on your street are orange") == true)
    let recalled = try self.terms(facts("the lamps on our street are orange", Memory(isRecalled: true)))
    #expect(recalled.offered == nil)
  }

  @Test("what is left out by the setting answers nothing")
  func settings() throws {
    for message in ["Hello!", "what is 7 times 6?", "tell me a riddle", "i lost my grandma on sunday"] {
      #expect(try terms(facts(message), open: Rung.required) == Brief.Terms(), "\(message)")
    }
  }
}
