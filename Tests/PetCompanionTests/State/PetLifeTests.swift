// SPDX-License-Identifier: Apache-2.0
import PetCompanion
import Testing

@Suite("A pet in time")
struct PetLifeTests {
  @Test("however a span is cut, the end is the same")
  func splits() {
    for seed in 0..<3000 {
      var random = RandomNumbers(seed)
      let drift = random.drift()
      var whole = random.life(at: random.moment(), drift)
      var pieces = whole
      let start = Moment(seconds: whole.seconds, offset: Int.random(in: -43200...50400, using: &random))
      let span = Int64.random(in: 0...(30 * Moment.day), using: &random) >> Int64.random(in: 0...12, using: &random)
      whole.advance(to: start.later(span), drift: drift)
      for cut in (0..<Int.random(in: 1...40, using: &random)).map({ _ in Int64.random(in: 0...span, using: &random) })
        .sorted()
      {
        pieces.advance(to: start.later(cut), drift: drift)
      }
      pieces.advance(to: start.later(span), drift: drift)
      #expect(whole.state.distance(to: pieces.state) <= 1, "seed \(seed)")
      #expect(whole.sinceContact == pieces.sinceContact && whole.effects.count == pieces.effects.count, "seed \(seed)")
    }
  }

  @Test("looked at every second, it lives as fast as looked at once a day")
  func seconds() {
    let start = Moment(seconds: 1_700_000_000, offset: 3600)
    var often = PetLife(PetState(hunger: 20, energy: 90, mood: 90), seconds: start.seconds)
    often.care(.play, at: start)
    var once = often
    for second in 1...Moment.day { often.advance(to: start.later(second)) }
    once.advance(to: start.later(Moment.day))
    #expect(often.state.distance(to: once.state) <= 1)
    #expect(once.state.hunger > 80)
  }

  @Test("whatever is done to it at whatever times, it stays in bounds and does not trap")
  func anyTimes() {
    for seed in 0..<2000 {
      var random = RandomNumbers(seed)
      var life = PetLife(random.petState(), seconds: Int64.random(in: .min ... .max, using: &random))
      for _ in 0..<20 {
        let edge: [Int64] = [
          .min, .max, 0, -1, .min + 1, life.seconds, Int64.random(in: .min ... .max, using: &random),
        ]
        let near = Moment.after(life.seconds, Int64.random(in: -90000...90000, using: &random))
        let seconds = Bool.random(using: &random) ? near : edge.randomElement(using: &random) ?? 0
        let offset = [0, .min, .max, 3600].randomElement(using: &random) ?? 0
        let now = Moment(seconds: seconds, offset: offset)
        if let action = CareAction.allCases.randomElement(using: &random), Bool.random(using: &random) {
          life.care(action, at: now, drift: random.drift())
        } else {
          life.advance(to: now, drift: random.drift())
        }
        let isBounded = PetValue.allCases.allSatisfy { (0...100).contains(life.levels[$0]) }
        #expect(isBounded && (0...23).contains(now.hour) && life.seconds == seconds, "seed \(seed)")
        #expect(life.effects.count <= PetLife.mostEffects && life.sinceContact <= PetLife.patience)
      }
    }
  }

  @Test("without care hunger only grows and affection only fades, and a starving pet does not get well")
  func neglect() {
    for seed in 0..<1000 {
      var random = RandomNumbers(seed)
      let drift = random.drift()
      let start = random.moment()
      var life = PetLife(random.petState(), seconds: start.seconds)
      var before = life.levels
      var at: Int64 = 0
      while at < 20 * Moment.day {
        at += Int64.random(in: 1...43200, using: &random)
        life.advance(to: start.later(at), drift: drift)
        #expect(life.levels[.hunger] >= before[.hunger] && life.levels[.affection] <= before[.affection])
        if before[.hunger] >= PetPace.starving { #expect(life.levels[.health] <= before[.health]) }
        before = life.levels
      }
    }
  }

  @Test("a pet left alone for years waits, and an afternoon of care brings it back")
  func years() {
    let start = Moment(seconds: 1_700_000_000)
    for days: Int64 in [14, 15, 90, 400, 40_000_000] {
      var life = PetLife(PetState(affection: 90), seconds: start.seconds)
      var now = start.later(days * Moment.day)
      life.advance(to: now)
      #expect(life.state.health >= 25 && life.state.affection >= 20 && life.sinceContact == PetLife.patience)
      let twoWeeks = life.state
      var other = PetLife(PetState(affection: 90), seconds: start.seconds)
      other.advance(to: start.later(PetLife.patience))
      #expect(other.state == twoWeeks)
      now = Moment(seconds: now.seconds - now.seconds % Moment.day + 12 * Moment.hour)
      for action: CareAction in [.feed, .feed, .feed, .clean, .pet, .rest] { life.care(action, at: now) }
      life.advance(to: now.later(3 * Moment.hour))
      #expect(life.state.hunger < 40 && life.state.mood > twoWeeks.mood && life.state.health > twoWeeks.health)
      #expect(life.manner(at: now).allows(.jump))
    }
  }

  @Test("a clock that is set back takes nothing away, one that runs ahead no more than two weeks do")
  func clocks() {
    let start = Moment(seconds: 1_700_000_000)
    var life = PetLife(seconds: start.seconds)
    life.care(.feed, at: start)
    let fed = life
    #expect(life.advance(to: start.later(-86400)) == .setBack(86400))
    #expect(life.state == fed.state && life.effects == fed.effects && life.seconds == start.seconds - 86400)
    // Food goes on being digested by the clock as it is now.
    life.advance(to: start.later(-86400 + Moment.hour))
    #expect(life.state.hunger < fed.state.hunger && !life.isDigesting)
    let until = Int64.max - life.seconds
    #expect(life.advance(to: Moment(seconds: .max)) == .passed(until))
    let ahead = life.state
    #expect(life.advance(to: start) == .setBack(.max - start.seconds))
    #expect(life.state == ahead)
    #expect(ClockReading(from: .min, to: .max) == .passed(.max))
    #expect(ClockReading(from: .max, to: .min) == .setBack(.max))
    #expect(ClockReading(from: 5, to: 5) == .passed(0))
  }

  @Test("it sleeps at night and gains strength, unless its person keeps it awake")
  func night() {
    // Ten in the evening, three hours east of Greenwich.
    let evening = Moment(seconds: 19 * Moment.hour, offset: 3 * 3600)
    #expect(evening.isNight && !evening.later(-1).isNight && evening.hour == 22)
    #expect(!evening.later(9 * Moment.hour).isNight && evening.later(9 * Moment.hour - 1).isNight)
    var sleeping = PetLife(PetState(energy: 40), seconds: evening.seconds)
    var kept = sleeping
    sleeping.advance(to: evening.later(5 * Moment.hour))
    for hour in 0..<20 { kept.meet(at: evening.later(Int64(hour) * Moment.hour / 4)) }
    #expect(sleeping.state.energy > 80 && kept.state.energy < 10)
    #expect(sleeping.isAsleep(at: evening.later(5 * Moment.hour)) && !kept.isAsleep(at: evening.later(5 * Moment.hour)))
  }

  @Test("a temperament of twice the speed is hungry in half the time, and factors are bounded")
  func drift() {
    let noon = Moment(seconds: 12 * Moment.hour)
    var slow = PetLife(PetState(hunger: 0), seconds: noon.seconds)
    var fast = slow
    slow.advance(to: noon.later(6 * Moment.hour))
    fast.advance(to: noon.later(3 * Moment.hour), drift: PetDrift(hunger: 2))
    #expect(slow.state.hunger == 24 && fast.state.hunger == 24)
    #expect(
      PetDrift(hunger: .nan, energy: -.infinity, mood: .infinity, affection: 0)
        == PetDrift(hunger: 1, energy: 0.25, mood: 4, affection: 0.25))
  }

  @Test("who is hungry and alone grows sad, who is fed and visited does not")
  func mood() {
    let morning = Moment(seconds: 8 * Moment.hour)
    var alone = PetLife(PetState(hunger: 60), seconds: morning.seconds)
    var visited = alone
    alone.advance(to: morning.later(2 * Moment.day))
    for hour in stride(from: 0, through: 48, by: 4) {
      visited.care(.feed, at: morning.later(Int64(hour) * Moment.hour))
    }
    #expect(alone.state.mood < 35 && visited.state.mood > 60)
  }
}
