import PetRuntime
import Testing

@Suite("The variant to use now")
struct QualityControllerTests {
  private static let recovery = 60

  private func facts(
    _ tier: PerformanceTier = .high, _ pressure: MemoryPressureLevel = .normal, _ thermal: ThermalState? = nil,
    battery: Int = 100
  ) -> QualityController.Facts {
    .init(
      tier: tier, pressure: pressure, thermal: thermal,
      power: .init(battery: .init(capacity: battery, status: .discharging), isOnMains: false))
  }

  @Test("it goes down at once, and up by single steps after it was well for long enough")
  func hysteresis() {
    var controller = QualityController(facts())
    #expect(controller.quality == .high)
    #expect(controller.update(facts(.high, .critical), at: .seconds(10)) == .low)
    #expect(controller.update(facts(), at: .seconds(20)) == .low)
    #expect(controller.update(facts(), at: .seconds(79)) == .low)
    #expect(controller.update(facts(), at: .seconds(80)) == .medium)
    #expect(controller.update(facts(), at: .seconds(139)) == .medium)
    // A short relapse that would not even change anything starts the wait anew.
    #expect(controller.update(facts(.high, .warning), at: .seconds(139.5)) == .medium)
    #expect(controller.update(facts(), at: .seconds(140)) == .medium)
    #expect(controller.update(facts(), at: .seconds(199)) == .medium)
    #expect(controller.update(facts(), at: .seconds(200)) == .high)
    #expect(controller.update(facts(), at: .seconds(10_000)) == .high)
  }

  @Test("what asks for how much")
  func ceilings() {
    for (facts, expected) in [
      (facts(.medium), ModelQuality.medium), (facts(.low), .low), (facts(.high, .warning), .medium),
      (facts(.high, .normal, .fair), .high), (facts(.high, .normal, .serious), .medium),
      (facts(.high, .normal, .critical), .low), (facts(battery: 19), .medium), (facts(battery: 20), .high),
      (facts(.high, .warning, .serious), .low),
      (facts(.low, .critical, .critical, battery: 1), .low),
    ] {
      #expect(QualityController(facts).quality == expected, "\(facts)")
    }
    #expect(QualityController(facts(), recommended: .medium).quality == .medium)
  }

  @Test("degrade and restore by hand")
  func byHand() {
    var controller = QualityController(facts())
    #expect(controller.degrade(at: .seconds(0)) == .medium)
    #expect(controller.restore(at: .seconds(59)) == nil)
    #expect(controller.restore(at: .seconds(60)) == .high)
    #expect(controller.restore(at: .seconds(1000)) == nil)
    #expect(controller.degrade(at: .seconds(1000)) == .medium && controller.degrade(at: .seconds(1010)) == .low)
    #expect(controller.degrade(at: .seconds(1020)) == nil && controller.quality == .low)
    #expect(controller.update(facts(), at: .seconds(1069)) == .low, "the wait begins with the last step down")
    #expect(controller.update(facts(), at: .seconds(1070)) == .medium)
    #expect(controller.update(facts(.high, .warning), at: .seconds(1080)) == .medium)
    #expect(controller.restore(at: .seconds(9999)) == nil, "the facts do not allow it")
  }

  @Test("a person's wish takes the place of the tier, at once, and is lowered like it")
  func override() {
    var controller = QualityController(facts(.low), recommended: .medium)
    #expect(controller.setOverride(.high) == .high)
    #expect(controller.update(facts(.low, .warning), at: .seconds(5)) == .medium)
    #expect(controller.setOverride(.low) == .low)
    #expect(controller.update(facts(.high), at: .seconds(500)) == .low)
    #expect(controller.update(facts(.high), at: .seconds(5000)) == .low)
    #expect(controller.setOverride(nil) == .medium && controller.override == nil)
  }

  @Test("a clock that goes back does not shorten the wait")
  func clock() {
    var controller = QualityController(facts(.high, .warning))
    #expect(controller.update(facts(), at: .seconds(100)) == .medium)
    #expect(controller.update(facts(), at: .seconds(50)) == .medium)
    #expect(controller.update(facts(), at: .seconds(109)) == .medium)
    #expect(controller.update(facts(), at: .seconds(110)) == .high)
  }

  /// Facts that change by chance, drawn again from a seed.
  private struct Chance {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }

    mutating func facts() -> QualityController.Facts {
      .init(
        tier: PerformanceTier.allCases[next(20) == 0 ? next(3) : 0],
        pressure: MemoryPressureLevel.allCases[next(4) == 0 ? next(3) : 0],
        thermal: next(4) == 0 ? ThermalState.allCases[next(4)] : nil,
        power: .init(
          battery: .init(capacity: next(5) == 0 ? 19 : 21, status: .discharging), isOnMains: false,
          isSavingPower: next(20) == 0))
    }

    /// The same, or worse in any of its parts.
    mutating func worse(_ facts: QualityController.Facts) -> QualityController.Facts {
      var facts = facts
      if next(2) == 0 { facts.tier = min(facts.tier, PerformanceTier.allCases[next(3)]) }
      if next(2) == 0, facts.pressure == .normal { facts.pressure = .warning }
      if next(3) == 0 { facts.thermal = max(facts.thermal ?? .nominal, ThermalState.allCases[next(4)]) }
      if next(3) == 0 { facts.power.battery?.capacity = 10 }
      return facts
    }
  }

  /// No flapping: between two steps up, and between a step down and one up, lie `recovery` in which every fact allowed more.
  @Test(arguments: 1...20)
  func noFlapping(seed: UInt64) {
    var chance = Chance(state: seed)
    let override = [nil, ModelQuality.high, .medium, .low][chance.next(4)]
    var controller = QualityController(chance.facts(), override: override, recovery: .seconds(Self.recovery))
    var time = 0
    var lastChange = 0
    var ceilings: [(time: Int, ceiling: ModelQuality)] = []
    var stepsUp = 0
    var calm = QualityController.Facts(tier: .high)
    for _ in 0..<3000 {
      time += chance.next(30)
      // Stretches of calm, or nothing would ever recover.
      let isCalm = (time / 400) % 2 == 0
      calm.power.isSavingPower = chance.next(100) == 0
      let facts = isCalm ? calm : chance.facts()
      let ceiling = QualityController.ceiling(facts, recommended: .high, override: override)
      ceilings.append((time, ceiling))
      let before = controller.quality
      if chance.next(50) == 0 { controller.degrade(at: .seconds(time)) }
      let lowered = controller.quality
      let after = controller.update(facts, at: .seconds(time))
      #expect(after <= ceiling, "never above what the facts allow")
      if let override { #expect(after <= override, "never above the override") }
      if after > lowered {
        stepsUp += 1
        #expect(after.degrade() == lowered && time - lastChange >= Self.recovery)
        let recent = ceilings.filter { $0.time > time - Self.recovery }
        #expect(recent.allSatisfy { $0.ceiling >= after }, "it was well all the time")
      }
      if after != before || lowered != before { lastChange = time }
    }
    #expect(stepsUp > 10 || override == .low)
  }

  @Test("worse facts never give a better variant, at any time", arguments: 1...20)
  func monotone(seed: UInt64) {
    var chance = Chance(state: seed &* 977)
    let first = chance.facts()
    var better = QualityController(first)
    var worse = QualityController(chance.worse(first))
    var time = 0
    var differences = 0
    for _ in 0..<3000 {
      time += chance.next(30)
      let facts = (time / 400) % 2 == 0 ? QualityController.Facts(tier: .high) : chance.facts()
      let bad = chance.next(3) == 0 ? chance.worse(facts) : facts
      #expect(
        QualityController.ceiling(bad, recommended: .high, override: nil)
          <= QualityController.ceiling(facts, recommended: .high, override: nil))
      let good = better.update(facts, at: .seconds(time))
      let low = worse.update(bad, at: .seconds(time))
      #expect(low <= good)
      if low < good { differences += 1 }
    }
    #expect(differences > 0)
  }
}
