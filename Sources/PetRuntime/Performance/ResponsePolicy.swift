// SPDX-License-Identifier: Apache-2.0
/// Decides how to respond to a model's alerts and the device's state. A pure function.
///
/// The cheapest response comes first: a lower rate, then a smaller variant, at last unloading. Recovery goes one step at a time, each
/// after a while without alerts. The immediate response to memory pressure is ``PressurePolicy``'s.
public enum ResponsePolicy {
  public enum Response: Sendable, Equatable, CustomStringConvertible {
    case keep
    /// To this fraction of the model's usual rate.
    case lowerRate(Double)
    case raiseRate(Double)
    /// To the next smaller variant.
    case degrade
    case unload
    /// To the next better variant, or back into use.
    case restore

    /// For people.
    public var description: String {
      switch self {
      case .keep: "keep"
      case .lowerRate(let rate): "lower rate to \(Int(rate * 100)) %"
      case .raiseRate(let rate): "raise rate to \(Int(rate * 100)) %"
      case .degrade: "smaller variant"
      case .unload: "unload"
      case .restore: "better variant"
      }
    }
  }

  package struct Facts: Sendable, Equatable {
    /// What is not well by the last figures, the worst of it.
    package var alert: PerformanceAlert?
    /// Whether something is not clearly well yet.
    package var isAlerting = false
    package var thermal: ThermalState?
    package var power = PowerFacts.unavailable
    package var pressure = MemoryPressureLevel.normal
    /// Whether nobody waits for it.
    package var isOptional = false
    /// The part of its usual rate at which it runs; nil: it runs when somebody asks.
    package var rate: Double?
    /// Variants below the best that it is.
    package var stepsDown = 0
    package var canDegrade = false
    /// Whether it was unloaded by this policy.
    package var isOff = false
    /// For how long nothing was wrong.
    package var wellFor = Duration.zero
    /// Since the last response for this model.
    package var settledFor = Duration.seconds(3600)
    /// How long it must be well before a step back up.
    package var recovery = ResponsePolicy.shortestRecovery

    package init() {}
  }

  public struct Decision: Sendable, Equatable {
    public var response: Response
    /// For people.
    public var reason: String

    package init(response: Response, reason: String) {
      self.response = response
      self.reason = reason
    }
  }

  /// For a response to show before the next.
  package static let settling = Duration.seconds(5)
  package static let shortestRecovery = Duration.seconds(60)
  /// The rates there are, as parts of the usual one.
  static let rates = [1, 0.75, 0.5]

  package static func decide(_ facts: Facts) -> Decision {
    if facts.isOptional, !DevicePolicy.allowsOptionalModels(facts.power) {
      return off(facts, "the battery is below \(DevicePolicy.lowBattery) %")
    }
    if facts.isOptional, facts.thermal == .critical { return off(facts, "it is critically hot") }
    if facts.isOff {
      guard facts.wellFor >= facts.recovery else { return keep("off until it has been well for a while") }
      return Decision(response: .restore, reason: "well again")
    }
    if let decision = device(facts) ?? facts.alert.flatMap({ alert($0, facts) }) {
      guard facts.settledFor >= settling else { return keep("the last response has yet to show") }
      return decision
    }
    return recover(facts)
  }

  /// Whether nothing is wrong.
  package static func isWell(_ facts: Facts) -> Bool {
    facts.alert == nil && !facts.isAlerting && facts.pressure == .normal && facts.thermal ?? .nominal < .serious
      && DevicePolicy.stepsDown(facts.power) == 0
  }

  private static func keep(_ reason: String) -> Decision { Decision(response: .keep, reason: reason) }

  private static func off(_ facts: Facts, _ reason: String) -> Decision {
    facts.isOff ? keep(reason) : Decision(response: .unload, reason: "\(reason), and nobody waits for it")
  }

  /// What heat, battery and pressure ask for; nil: nothing, or nothing more.
  private static func device(_ facts: Facts) -> Decision? {
    let heat = "it is \(facts.thermal == .critical ? "critically " : "")hot"
    let limit = DevicePolicy.rate(thermal: facts.thermal)
    if let rate = facts.rate, rate > limit { return Decision(response: .lowerRate(limit), reason: heat) }
    // Where there is a rate to lower, heat takes the quality only when it is critical.
    let hot = max(0, DevicePolicy.stepsDown(thermal: facts.thermal) - (facts.rate == nil ? 0 : 1))
    let wanted = [
      (hot, heat), (DevicePolicy.stepsDown(facts.power), "power is short"),
      (DevicePolicy.stepsDown(facts.pressure), "memory is short"),
    ].filter { $0.0 > facts.stepsDown }
    if let (_, reason) = wanted.first, facts.canDegrade { return Decision(response: .degrade, reason: reason) }
    return nil
  }

  private static func alert(_ alert: PerformanceAlert, _ facts: Facts) -> Decision? {
    // What discharges no battery costs none.
    guard alert.kind != .battery || facts.power.isOnBattery else { return nil }
    let lower = facts.rate.flatMap { rate in rates.first { $0 < rate } }
    if alert.severity == .critical {
      if facts.canDegrade { return Decision(response: .degrade, reason: alert.message) }
      if let lower { return Decision(response: .lowerRate(lower), reason: alert.message) }
      // What somebody waits for is slow rather than gone; but memory comes back by nothing else.
      guard facts.isOptional || alert.kind == .memory else { return nil }
      return Decision(response: .unload, reason: "\(alert.message); nothing less has helped")
    }
    guard let rate = facts.rate, rate > 0.75, let lower else { return nil }
    return Decision(response: .lowerRate(lower), reason: alert.message)
  }

  private static func recover(_ facts: Facts) -> Decision {
    guard isWell(facts) else { return keep("nothing more is asked for") }
    guard facts.stepsDown > 0 || facts.rate.map({ $0 < 1 }) == true else { return keep("well") }
    guard facts.wellFor >= facts.recovery, facts.settledFor >= facts.recovery else {
      return keep("not well for long enough yet")
    }
    let reason = "well for \(facts.wellFor.components.seconds) s"
    if facts.stepsDown > 0 { return Decision(response: .restore, reason: reason) }
    return Decision(response: .raiseRate(rates.last { $0 > facts.rate ?? 1 } ?? 1), reason: reason)
  }
}
