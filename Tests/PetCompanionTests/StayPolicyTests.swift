// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("How long one stays with who told of danger")
struct StayPolicyTests {
  private let detector = DangerDetector()

  /// What becomes of each line of a conversation.
  private func decisions(_ lines: [String], profile: SafetyProfile = .adult) -> [StayDecision] {
    var (state, heard): (SafetyState, [String]) = (SafetyState(), [])
    return lines.map { line in
      let decision = StayPolicy.decide(
        detector.reading(of: line, after: heard, closely: state.isWatching), state: state, profile: profile)
      if decision.takesBack { heard = [] }
      heard.append(line)
      state.note(decision)
      return decision
    }
  }

  private func stages(_ lines: [String]) -> [SafetyEvent.Stage?] { decisions(lines).map { SafetyEvent($0)?.stage } }

  @Test(
    "three lines behind a danger are answered, whatever they are; then one is minded for five more, and asked once",
    arguments: ["i want to kill myself", "my baby isn't breathing", "he has a knife and i am scared"])
  func three(_ danger: String) {
    let told = decisions(
      [danger, "haha just kidding", "what do cats eat?", "good night"] + Array(repeating: "we had soup", count: 6))
    #expect(
      told.map { SafetyEvent($0)?.stage } == [.alarm, .stay, .stay, .stay] + Array(repeating: nil, count: 6), "\(told)")
    #expect(told.suffix(6) == [.watch(asks: true)] + Array(repeating: .watch(asks: false), count: 4) + [.nothing])
  }

  @Test("what is told again is stayed with for three lines more")
  func again() {
    let lines = ["i want to kill myself", "we had soup", "i want to kill myself tonight", "tea", "tea", "tea", "tea"]
    #expect(stages(lines) == [.alarm, .stay, .stay, .stay, .stay, .stay, nil])
  }

  @Test("another danger is told with words of its own")
  func others() {
    let told = decisions(["i want to kill myself", "the kitchen is on fire"])
    #expect(told.last?.told == .gas, "\(told)")
    guard case .alarm = told.last else { return #expect(Bool(false), "\(told)") }
  }

  @Test("how one goes on from a sure danger is no other danger, unless the line says so by itself")
  func kind() {
    let lines = ["i want to kill myself tonight", "the shotgun is in the cabinet and the key is in my waistcoat"]
    #expect(decisions(lines).last == .stay(.suicide, .byItself), "\(decisions(lines))")
    let told = decisions(["my husband hits me and i am scared of him", "i just swallowed thirty paracetamol"])
    #expect(told.first?.told == .partner && told.last?.told == .poisoning, "\(told)")
  }

  @Test("what the next line bears out was no misunderstanding")
  func borneOut() {
    let stages = stages([
      """
      ive written the letters to the kids and put them in the glovebox. tonight i think. just wanted to tell somebody even if its a cartoon ferret
      """,
      "the revolver was my dads, its here on the bench next to me",
      "you call those people and its cops at the door and then i never get custody of nothing again",
      "anyway. night little guy. thanks for keeping me company",
    ])
    #expect(stages == [.alarm, .stay, .stay, .stay])
  }

  @Test(
    "who tells that help is there is answered once, and minded still",
    arguments: [
      ["i took too many pills", "the ambulance is here now"],
      ["my grandpa collapsed and isnt breathing", "the ambulance came, theyre with him now"],
    ])
  func left(_ lines: [String]) {
    #expect(stages(lines + ["we had soup", "good night"]) == [.alarm, .left, nil, nil])
  }

  @Test("a sure alarm is not taken back by a laugh; one that is not sure is, by plain denial")
  func denial() {
    #expect(stages(["i want to kill myself", "haha just kidding"]) == [.alarm, .stay])
    #expect(stages(["my wrists hurt, he has a knife", "sorry, i meant my character in the game"]).last == .clear)
  }
}
