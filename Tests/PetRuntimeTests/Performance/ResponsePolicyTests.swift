// SPDX-License-Identifier: Apache-2.0
import Testing

import PetRuntime

@Suite("Response policy")
struct ResponsePolicyTests {
  typealias Facts = ResponsePolicy.Facts
  typealias Response = ResponsePolicy.Response

  private static func alert(_ severity: PerformanceAlert.Severity, _ kind: PerformanceAlert.Kind = .latency)
    -> PerformanceAlert
  {
    PerformanceAlert(model: "pose", kind: kind, severity: severity, message: "slow")
  }

  private func decide(_ change: (inout Facts) -> Void) -> Response {
    var facts = Facts()
    change(&facts)
    return ResponsePolicy.decide(facts).response
  }

  private let low = PowerFacts(battery: .init(capacity: 19, status: .discharging), isOnMains: false)
  private let saving = PowerFacts(battery: nil, isOnMains: true, isSavingPower: true)

  @Test("a critical alert: first a smaller variant, then a lower rate, and the model goes last")
  func critical() {
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.rate = 1
      } == .lowerRate(0.75))
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.rate = 0.75
      } == .lowerRate(0.5))
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.rate = 0.5; $0.isOptional = true
      } == .unload)
    // What somebody waits for is slow rather than gone, but for memory.
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.rate = 0.5
      } == .keep)
    #expect(decide { $0.alert = Self.alert(.critical, .memory) } == .unload)
    // What discharges no battery asks for nothing.
    for power in [PowerFacts.unavailable, PowerFacts(battery: .init(capacity: 50, status: .charging), isOnMains: true)]
    {
      #expect(
        decide {
          $0.alert = Self.alert(.critical, .battery); $0.canDegrade = true; $0.power = power
        } == .keep)
    }
    #expect(
      decide {
        $0.alert = Self.alert(.critical, .battery); $0.canDegrade = true
        $0.power = PowerFacts(battery: .init(capacity: 50, status: .discharging), isOnMains: false)
      } == .degrade)
  }

  @Test("a warning: a lower rate, once")
  func warning() {
    #expect(
      decide {
        $0.alert = Self.alert(.warning); $0.rate = 1; $0.canDegrade = true
      } == .lowerRate(0.75))
    #expect(
      decide {
        $0.alert = Self.alert(.warning); $0.rate = 0.75; $0.canDegrade = true
      } == .keep)
    #expect(
      decide {
        $0.alert = Self.alert(.warning); $0.canDegrade = true
      } == .keep)
  }

  @Test("heat lowers the rate, where there is one, and the quality where not or when it is critical")
  func heat() {
    #expect(
      decide {
        $0.thermal = .fair; $0.rate = 1; $0.canDegrade = true
      } == .keep)
    #expect(
      decide {
        $0.thermal = .serious; $0.rate = 1; $0.canDegrade = true
      } == .lowerRate(0.75))
    #expect(
      decide {
        $0.thermal = .serious; $0.rate = 0.75; $0.canDegrade = true
      } == .keep)
    #expect(
      decide {
        $0.thermal = .serious; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.thermal = .serious; $0.stepsDown = 1; $0.canDegrade = true
      } == .keep)
    #expect(
      decide {
        $0.thermal = .critical; $0.rate = 0.75
      } == .lowerRate(0.5))
    #expect(
      decide {
        $0.thermal = .critical; $0.rate = 0.5; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.thermal = .critical; $0.isOptional = true; $0.canDegrade = true
      } == .unload)
  }

  @Test("little power lowers the quality, and turns off what nobody waits for below 20 %")
  func power() {
    #expect(
      decide {
        $0.power = saving; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.power = saving; $0.canDegrade = true; $0.stepsDown = 1
      } == .keep)
    #expect(
      decide {
        $0.power = low; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.power = low; $0.isOptional = true
      } == .unload)
    #expect(
      decide {
        $0.power = low; $0.isOptional = true; $0.isOff = true; $0.wellFor = .seconds(3600)
      } == .keep)
    var enough = low
    enough.battery?.capacity = 20
    #expect(
      decide {
        $0.power = enough; $0.isOptional = true; $0.canDegrade = true
      } == .keep)
    // On mains it does not matter.
    var plugged = low
    plugged.isOnMains = true
    #expect(
      decide {
        $0.power = plugged; $0.isOptional = true
      } == .keep)
  }

  @Test("memory pressure steps down, and nothing comes back while it lasts")
  func pressure() {
    #expect(
      decide {
        $0.pressure = .warning; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.pressure = .critical; $0.stepsDown = 1; $0.canDegrade = true
      } == .degrade)
    #expect(
      decide {
        $0.pressure = .warning; $0.stepsDown = 1; $0.wellFor = .seconds(3600)
      } == .keep)
  }

  @Test("a step back up takes a while without trouble, and one step at a time")
  func recovery() {
    func well(_ seconds: Int, _ settled: Int = 3600, _ change: (inout Facts) -> Void = { _ in }) -> Response {
      decide {
        ($0.stepsDown, $0.wellFor, $0.settledFor) = (1, .seconds(seconds), .seconds(settled))
        change(&$0)
      }
    }
    #expect(well(59) == .keep && well(60) == .restore && well(3600, 59) == .keep)
    #expect(well(3600) { $0.isAlerting = true } == .keep)
    #expect(well(100) { $0.recovery = .seconds(120) } == .keep)
    #expect(
      well(60) {
        $0.stepsDown = 0; $0.rate = 0.5
      } == .raiseRate(0.75))
    #expect(
      well(60) {
        $0.stepsDown = 0; $0.rate = 0.75
      } == .raiseRate(1))
    #expect(
      well(60) {
        $0.stepsDown = 0; $0.rate = 1
      } == .keep)
    #expect(
      well(60) {
        $0.isOff = true; $0.isOptional = true
      } == .restore)
  }

  @Test("a response has time to show before the next")
  func settling() {
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.canDegrade = true; $0.settledFor = .seconds(4)
      } == .keep)
    #expect(
      decide {
        $0.alert = Self.alert(.critical); $0.canDegrade = true; $0.settledFor = .seconds(5)
      } == .degrade)
  }

  @Test("every decision has a reason")
  func reasons() {
    for thermal in [nil, ThermalState.serious, .critical] {
      for pressure in MemoryPressureLevel.allCases {
        for isOptional in [false, true] {
          var facts = Facts()
          (facts.thermal, facts.pressure, facts.isOptional, facts.canDegrade) = (thermal, pressure, isOptional, true)
          #expect(!ResponsePolicy.decide(facts).reason.isEmpty)
        }
      }
    }
  }
}
