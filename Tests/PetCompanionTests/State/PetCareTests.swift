// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetCompanion
import Testing

@Suite("Caring for a pet")
struct PetCareTests {
  private static let noon = Moment(seconds: 12 * Moment.hour)

  private static func life(_ state: PetState) -> PetLife { PetLife(state, seconds: noon.seconds) }

  @Test("half of a meal fills at once, half over the hour")
  func digestion() {
    var life = Self.life(PetState(hunger: 80))
    life.care(.feed, at: Self.noon)
    #expect(life.state.hunger == 65 && life.isDigesting)
    life.advance(to: Self.noon.later(Moment.hour))
    // Four points of new hunger came in the hour.
    #expect(life.state.hunger == 54 && !life.isDigesting)
  }

  @Test("fed again and again it is full, says so, and eats again when it is hungry")
  func appetite() {
    var life = Self.life(PetState(hunger: 100))
    var meals = 0
    while case .accepted = life.care(.feed, at: Self.noon).outcome, meals < 50 { meals += 1 }
    #expect((3...5).contains(meals))
    let result = life.care(.feed, at: Self.noon)
    #expect(result.outcome == .declined(.digesting) && result.emotion == .content)
    life.advance(to: Self.noon.later(Moment.hour))
    #expect(life.state.hunger <= 20)
    #expect(life.care(.feed, at: Self.noon.later(Moment.hour)).outcome == .declined(.notHungry))
    let evening = Self.noon.later(9 * Moment.hour)
    #expect(life.care(.feed, at: evening).outcome != .declined(.notHungry))
  }

  @Test("a refusal changes nothing")
  func refusals() {
    for seed in 0..<2000 {
      var random = RandomNumbers(seed)
      let now = random.moment()
      var life = random.life(at: now, .ordinary)
      let at = Moment(seconds: life.seconds, offset: Int(now.offset))
      let action = CareAction.allCases.randomElement(using: &random) ?? .feed
      var met = life
      met.meet(at: at)
      if case .declined = life.care(action, at: at).outcome { #expect(life == met) } else { #expect(life != met) }
    }
  }

  @Test(
    "it says why it would rather not",
    arguments: [
      (CareAction.feed, PetState(hunger: 5), CareRefusal.notHungry, Emotion.content),
      (.play, PetState(energy: 5), .tooTired, .sleepy),
      (.play, PetState(hunger: 95), .tooHungry, .hungry),
      (.play, PetState(health: 10), .unwell, .sad),
      (.rest, PetState(energy: 95), .notTired, .playful),
    ])
  func reasons(_ action: CareAction, _ state: PetState, _ refusal: CareRefusal, _ emotion: Emotion) {
    var life = Self.life(state)
    let result = life.care(action, at: Self.noon)
    #expect(result.outcome == .declined(refusal) && result.emotion == emotion && result.action == action)
    #expect(life.state == state)
  }

  @Test("what is repeated gives less each time, then is politely declined, and is welcome again later")
  func repetition() {
    for action: CareAction in [.pet, .play] {
      var life = Self.life(PetState(hunger: 20, energy: 100, mood: 0))
      var joys: [Double] = []
      while case .accepted(let effects) = life.care(action, at: Self.noon).outcome, joys.count < 50 {
        joys.append(effects.now[.mood] ?? 0)
      }
      #expect(joys.count == 5 && zip(joys, joys.dropFirst()).allSatisfy { $0 > $1 })
      #expect(life.care(action, at: Self.noon).outcome == .declined(.enough))
      #expect(life.care(action, at: Self.noon.later(3 * Moment.hour)).outcome != .declined(.enough))
    }
    var clean = Self.life(PetState())
    clean.care(.clean, at: Self.noon)
    #expect(clean.care(.clean, at: Self.noon).outcome == .declined(.alreadyClean))
    #expect(clean.care(.clean, at: Self.noon.later(13 * Moment.hour)).outcome != .declined(.alreadyClean))
  }

  @Test("no amount of care makes a pet perfect for ever")
  func noFarming() {
    var life = Self.life(PetState(affection: 20))
    for minute in 0..<Int64(120) {
      for action in CareAction.allCases { life.care(action, at: Self.noon.later(minute * 60)) }
    }
    #expect(life.state.affection < 90)
  }

  @Test("a nap gives strength, and a game ends it")
  func naps() {
    var life = Self.life(PetState(energy: 30))
    #expect(life.care(.rest, at: Self.noon).actions == [.yawn, .sleep])
    #expect(life.isAsleep(at: Self.noon) && life.care(.play, at: Self.noon).outcome == .declined(.asleep))
    #expect(life.care(.rest, at: Self.noon).outcome == .declined(.asleep))
    var woken = life
    woken.care(.feed, at: Self.noon)
    #expect(!woken.isResting)
    life.advance(to: Self.noon.later(2 * Moment.hour))
    #expect(!life.isResting && life.state.energy >= 50)
  }

  @Test("what it shows is allowed in the state that follows, two actions at most")
  func looks() {
    for seed in 0..<3000 {
      var random = RandomNumbers(seed)
      let start = random.moment()
      var life = random.life(at: start, .ordinary)
      let now = Moment(seconds: life.seconds, offset: Int(start.offset)).later(
        Int64.random(in: 0...7200, using: &random))
      let result = life.care(CareAction.allCases.randomElement(using: &random) ?? .play, at: now)
      let allowed = life.manner(at: now).allowedActions
      #expect(result.actions.count <= 2 && result.actions.allSatisfy(allowed.contains), "seed \(seed)")
    }
  }

  @Test("who starves, is exhausted or ill does not leap about; something is always allowed")
  func manners() {
    let leaps: Set<PetAction> = [.jump, .spin, .dance]
    for seed in 0..<5000 {
      var random = RandomNumbers(seed)
      let manner = PetManner(random.petState(), isNight: Bool.random(using: &random))
      let state = manner.state
      let allowed = manner.allowedActions
      let isWeak = state.hunger > 85 || state.energy < 20 || state.health < 30
      #expect(allowed.isSuperset(of: [.nuzzle, .lookAround, .tiltHead]) && allowed.isDisjoint(with: leaps) == isWeak)
      #expect(allowed.contains(.eat) == (state.hunger >= 40) && (!manner.isNight || allowed.contains(.sleep)))
      #expect((0.8...1.1).contains(manner.temperatureFactor))
    }
    #expect(PetManner(PetState(hunger: 0), isDigesting: true).allows(.eat))
    #expect(abs(PetManner(PetState()).temperatureFactor - 1) < 0.02)
  }

  @Test("every outcome has lines with the pet's name, never the same twice in a row")
  func lines() {
    let outcomes =
      CareAction.allCases.map { ($0, CareOutcome.accepted(CareEffects(now: [:], later: [:], seconds: 0))) }
      + CareRefusal.allCases.map { (.feed, .declined($0)) }
    for (action, outcome) in outcomes {
      let result = CareResult(action: action, outcome: outcome, emotion: .happy, actions: [])
      for choice: UInt64 in [0, 1, 2, .max] {
        var last: String?
        for _ in 0..<4 {
          let line = CareLines.standard.line(for: result, name: "Io {name}", choice: choice, last: last)
          #expect(line.contains("Io {name}") && line != last && line.utf8.count < 100)
          last = line
        }
      }
    }
    #expect(Set(CareLines.standard.all).count == CareLines.standard.all.count)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(CareLines.self, from: Data("{}".utf8)) }
  }
}
