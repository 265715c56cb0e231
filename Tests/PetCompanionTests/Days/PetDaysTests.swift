// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("What a pet did by itself")
struct PetDaysTests {
  private static let days = PetDays.standard
  private static let pets = ["mochi", "bramble", "pixel", "juniper", "tofu", "zest"]

  @Test(
    "who asks for it, in many words",
    arguments: [
      ("what did you do today?", PetDays.Question.today), ("how was your day", .today),
      ("What have you been up to?", .today),
      ("what did you get up to today?", .today), ("what did you do while I was away?", .away),
      ("so what did i miss", .away),
      ("what have you been doing since i left", .away), ("what did you do yesterday", .yesterday),
      ("what are your plans", .plans),
      ("what are you doing tomorrow?", .plans), ("how was your weekend?", .away),
    ])
  func asked(_ message: String, _ question: PetDays.Question) { #expect(Self.days.question(in: message) == question) }

  @Test(
    "and who does not",
    arguments: [
      "my day was long", "what did i do yesterday?", "i missed the bus", "what are you?",
      "what do you think of my plans", "how was your name chosen",
      "guess what i did today", "what should i do today", "what are you doing to me", "what are you doing?",
      "my plans for tomorrow fell through",
    ])
  func notAsked(_ message: String) { #expect(Self.days.question(in: message) == nil) }

  private static func answer(
    _ question: PetDays.Question, _ pet: String, _ day: Int, away: Int = 0, recent: [String] = []
  ) -> String? {
    days.answer(to: question, pet: pet, day: day, daysAway: away, recent: recent)
  }

  @Test("of a day the same is told whenever it is asked, and no two of two months are alike", arguments: pets)
  func alike(_ pet: String) throws {
    var told: [String] = []
    for day in 20_000..<20_060 {
      let today = try #require(Self.answer(.today, pet, day))
      #expect(Self.answer(.yesterday, pet, day + 1) == today)
      let more = try #require(Self.answer(.today, pet, day, recent: [today]))
      #expect(more != today && Self.answer(.today, pet, day, recent: [today, more]) != nil)
      told.append(today)
    }
    #expect(Set(told).count == told.count)
  }

  @Test("a project goes on from day to day, and after an absence it is told how far it has come", arguments: pets)
  func projects(_ pet: String) throws {
    let world = try #require(Self.days.worlds[pet])
    for project in world.projects {
      let first = try #require((20_000..<20_100).first { Self.answer(.today, pet, $0) == project.days[0] })
      #expect((0..<PetDays.projectDays).allSatisfy { Self.answer(.today, pet, first + $0) == project.days[$0] })
      let back = try #require(Self.answer(.away, pet, first + 4, away: 3))
      #expect(back.contains(project.days[1]) && back.contains(project.days[4]))
    }
  }

  @Test("each text is short, in form, and may be said", arguments: pets)
  func texts(_ pet: String) throws {
    let world = try #require(Self.days.worlds[pet])
    let texts = world.events + world.seasons.values.flatMap(\.self) + world.projects.flatMap(\.days) + world.plans
    #expect(Set(texts).count == texts.count && texts.count >= 140)
    for text in texts {
      #expect(text.split(separator: " ").count <= 30 && !text.contains("{") && !text.contains("}"), "\(text)")
      #expect(ReplyCheck.standard.verdict(on: text) == .pass, "\(text)")
      let words = FoldedText.words(text)
      #expect(!words.contains("today") && !words.contains("yesterday"), "\(text)")
    }
  }

  @Test("a clock that is wrong stops nobody", arguments: [Int.min, -1, 0, Int.max])
  func clocks(_ day: Int) {
    for question in PetDays.Question.allCases {
      #expect(Self.answer(question, "zest", day, away: Int.max) != nil)
    }
    #expect(Self.answer(.today, "rex", 20_000) == nil)
  }

  @Test("January is winter in the north and summer in the south")
  func seasons() throws {
    let world = try #require(Self.days.worlds["tofu"])
    func told(_ isSouthern: Bool) -> Set<String> {
      // 2026-01-05 and three weeks behind it.
      Set(
        (20_458..<20_479).compactMap {
          Self.days.answer(to: .today, pet: "tofu", day: $0, daysAway: 0, isSouthern: isSouthern)
        })
    }
    #expect(!told(false).isDisjoint(with: world.seasons["winter"] ?? []))
    #expect(!told(true).isDisjoint(with: world.seasons["summer"] ?? []))
  }
}
