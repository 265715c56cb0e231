// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("A pet that speaks first")
struct InitiativeTests {
  /// Two in the afternoon, in Greenwich.
  private static let now = Moment(seconds: 1_700_000_000 - 1_700_000_000 % Moment.day + 14 * Moment.hour)
  private static let hour = Moment.hour

  private static func facts(_ change: (inout InitiativeFacts) -> Void = { _ in }) -> InitiativeFacts {
    var facts = InitiativeFacts(now: now, lastMessage: now.seconds - 9 * hour)
    change(&facts)
    return facts
  }

  @Test("after a long silence it asks how things are, and no sooner")
  func checkIn() {
    #expect(Initiative.decide(Self.facts()) == .checkIn)
    let soon = Self.facts { $0.lastMessage = Self.now.seconds - 7 * Self.hour }
    #expect(Initiative.decide(soon) == .nothing(until: Self.now.seconds + Self.hour))
    #expect(Initiative.decide(Self.facts { $0.lastMessage = nil }) == .nothing(until: nil))
  }

  @Test(
    "it asks for what it needs most",
    arguments: [
      (PetState(hunger: 80), PetNeed.food), (PetState(hunger: 80, health: 20), .care), (PetState(energy: 5), .rest),
      (PetState(mood: 10), .company),
    ])
  func needs(_ state: PetState, _ need: PetNeed) {
    #expect(Initiative.decide(Self.facts { $0.state = state }) == .need(need))
    let talking = Self.facts {
      $0.state = state
      $0.lastMessage = Self.now.seconds - 60
    }
    #expect(
      Initiative.decide(talking) == .nothing(until: Self.now.seconds + 540), "not in the middle of a conversation")
  }

  @Test("who comes back is welcomed by how long they were away, at any hour")
  func welcome() {
    for (away, absence) in [(5 * Self.hour, Absence.hours), (30 * Self.hour, .days), (200 * Self.hour, .weeks)] {
      for hour in 0..<24 {
        let now = Self.now.later(Int64(hour) * Self.hour)
        let facts = Self.facts {
          $0.now = now
          $0.isArriving = true
          $0.lastSeen = now.seconds - away
          $0.unanswered = 9
          $0.lastInitiative = now.seconds - 60
        }
        #expect(Initiative.decide(facts) == .welcomeBack(absence))
      }
    }
    let short = Self.facts {
      $0.isArriving = true
      $0.lastSeen = Self.now.seconds - Self.hour
      $0.unanswered = 2
    }
    #expect(Initiative.decide(short) == .nothing(until: nil))
  }

  @Test("switched off it says nothing")
  func offSwitch() {
    for seed in 0..<500 {
      var random = RandomNumbers(seed)
      let facts = Self.random(&random)
      #expect(Initiative.decide(facts, InitiativeSettings(isEnabled: false)) == .nothing(until: nil), "seed \(seed)")
    }
  }

  @Test("after its messages went unanswered it waits to be spoken to")
  func unanswered() {
    let facts = Self.facts {
      $0.unanswered = 2
      $0.state = PetState(hunger: 100)
    }
    #expect(Initiative.decide(facts) == .nothing(until: nil))
    #expect(Initiative.decide(facts, InitiativeSettings(mostUnanswered: 3)) == .need(.food))
  }

  @Test("quiet hours hold across midnight")
  func quiet() {
    for hour in 0..<24 {
      let now = Moment(seconds: Int64(hour) * Self.hour + 1800 - 5 * Self.hour, offset: 5 * 3600)
      let isQuiet = hour >= 21 || hour < 8
      #expect(QuietHours.night.contains(now) == isQuiet && !QuietHours.none.contains(now))
      #expect(QuietHours(start: 9, end: 17).contains(now) == (9..<17).contains(hour))
      let facts = InitiativeFacts(now: now, lastMessage: now.seconds - 20 * Self.hour)
      let wait = (32 - Int64(hour)) % 24 * Self.hour - 1800
      #expect(Initiative.decide(facts) == (isQuiet ? .nothing(until: now.seconds + wait) : .checkIn))
    }
    #expect(QuietHours(start: 25, end: -1) == QuietHours(start: 1, end: 23))
    #expect(QuietHours(start: .max, end: .min).start < 24)
  }

  /// Facts at the edges and between, any of them missing.
  private static func random(_ random: inout RandomNumbers, clocksAreSet: Bool = true) -> InitiativeFacts {
    let now = random.moment()
    func time() -> Int64? {
      let near = now.seconds - Int64.random(in: 0...200_000, using: &random)
      let any = clocksAreSet ? [near, near, near, nil, .min, .max, now.seconds + 9_999] : [near, near, near, nil]
      return any.randomElement(using: &random) ?? nil
    }
    return InitiativeFacts(
      now: now, lastMessage: time(), lastSeen: time(), isArriving: Bool.random(using: &random),
      lastInitiative: time(), unanswered: Int.random(in: -1...3, using: &random),
      state: random.petState())
  }

  @Test("when it says nothing until a time, it says nothing before and something then")
  func until() {
    var checked = 0
    for seed in 0..<5000 {
      var random = RandomNumbers(seed)
      // A time ahead of the clock does not count, until the clock comes to it: no prediction could hold.
      var facts = Self.random(&random, clocksAreSet: false)
      facts.isArriving = false
      let settings = InitiativeSettings()
      guard case .nothing(let until?) = Initiative.decide(facts, settings), until < .max - 1 else { continue }
      let wait = until - facts.now.seconds
      #expect(wait > 0, "seed \(seed)")
      checked += 1
      let start = facts.now
      for share in [0.0, 0.3, 0.9] {
        facts.now = start.later(Int64(Double(wait - 1) * share))
        guard case .nothing = Initiative.decide(facts, settings) else { Issue.record("seed \(seed)"); continue }
      }
      facts.now = start.later(wait)
      if case .nothing = Initiative.decide(facts, settings) { Issue.record("seed \(seed): silent at \(until)") }
    }
    #expect(checked > 400)
  }

  @Test("a day of deciding every minute stays within cooldown and cap")
  func day() {
    for seed in 0..<40 {
      var random = RandomNumbers(seed)
      let start = random.moment()
      var facts = InitiativeFacts(now: start, lastMessage: start.seconds - 20 * Self.hour, state: PetState(hunger: 90))
      let settings = InitiativeSettings(cooldown: 3600, mostUnanswered: 3)
      var said: [Int64] = []
      for minute in 0..<Int64(3 * 1440) {
        facts.now = start.later(minute * 60)
        facts.state = random.petState()
        if case .nothing = Initiative.decide(facts, settings) { continue }
        #expect(!settings.quietHours.contains(facts.now))
        said.append(facts.now.seconds)
        facts.lastInitiative = facts.now.seconds
        facts.unanswered += 1
      }
      #expect(said.count == 3 && zip(said, said.dropFirst()).allSatisfy { $1 - $0 >= 3600 })
    }
  }

  @Test("no time and no setting traps")
  func edges() {
    let times: [Int64?] = [nil, .min, .min + 1, -1, 0, 1, .max - 1, .max]
    let spans: [Int64] = [.min, 0, 3600, .max]
    for now in times.compactMap({ $0 }) {
      for time in times {
        for span in spans {
          var settings = InitiativeSettings(cooldown: span, checkInAfter: span)
          (settings.cooldown, settings.checkInAfter) = (span, span)
          let facts = InitiativeFacts(
            now: Moment(seconds: now, offset: .min), lastMessage: time, lastSeen: time, isArriving: true,
            lastInitiative: time)
          if case .nothing(let until?) = Initiative.decide(facts, settings) { #expect(until >= now) }
        }
      }
    }
  }
}
