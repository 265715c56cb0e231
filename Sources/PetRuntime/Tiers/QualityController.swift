/// Which variant of one model to use now. It goes down at once, and up again only by one step at a time, each after it has
/// been well for `recovery` without a break: so it changes up at most once in that time, however the facts waver.
///
/// A pure value: whoever holds it passes the facts and the time in.
public struct QualityController: Sendable, Equatable {
  public struct Facts: Sendable, Equatable {
    /// The device's tier when it is cool and fed; heat and power count by themselves.
    public var tier: PerformanceTier
    public var pressure: MemoryPressureLevel
    public var thermal: ThermalState?
    public var power: PowerFacts

    public init(
      tier: PerformanceTier, pressure: MemoryPressureLevel = .normal, thermal: ThermalState? = nil,
      power: PowerFacts = .unavailable
    ) {
      self.tier = tier
      self.pressure = pressure
      self.thermal = thermal
      self.power = power
    }
  }

  /// The variant to use now.
  public private(set) var quality: ModelQuality
  /// What a person asked for in the place of the device's tier; never exceeded.
  public private(set) var override: ModelQuality?
  /// The best variant that pays for itself (`ModelRequirements.recommendedQuality`).
  public let recommended: ModelQuality
  /// How long it must have been well before one step up.
  public let recovery: Duration

  private var facts: Facts
  /// Since when more than `quality` was possible; nil while it is not.
  private var wellSince: Duration?

  /// Begins with what the facts allow.
  public init(
    _ facts: Facts, recommended: ModelQuality = .high, override: ModelQuality? = nil, recovery: Duration = .seconds(60)
  ) {
    self.facts = facts
    self.recommended = recommended
    self.override = override
    self.recovery = recovery
    quality = Self.ceiling(facts, recommended: recommended, override: override)
  }

  /// The best variant that these facts allow.
  public static func ceiling(_ facts: Facts, recommended: ModelQuality, override: ModelQuality?) -> ModelQuality {
    let steps =
      DevicePolicy.stepsDown(facts.pressure) + DevicePolicy.stepsDown(thermal: facts.thermal)
      + DevicePolicy.stepsDown(facts.power)
    return (override ?? min(facts.tier.quality, recommended)).lowered(by: steps)
  }

  /// Takes note of the facts.
  /// - Parameter time: since any fixed moment; it should not go back.
  /// - Returns: the variant to use from now on.
  @discardableResult
  public mutating func update(_ facts: Facts, at time: Duration) -> ModelQuality {
    self.facts = facts
    let ceiling = ceiling
    if ceiling < quality { quality = ceiling }
    if ceiling == quality {
      wellSince = nil
    } else if let since = wellSince, since <= time {
      restore(at: time)
    } else {
      wellSince = time
    }
    return quality
  }

  /// One step down at once, because something does not go well that the facts do not show.
  /// - Returns: the variant to use; nil when there is no lower one.
  @discardableResult
  public mutating func degrade(at time: Duration) -> ModelQuality? {
    guard let lower = quality.degrade() else { return nil }
    quality = lower
    wellSince = ceiling > lower ? time : nil
    return lower
  }

  /// One step up, if the facts allow it and it has been well for long enough.
  /// - Returns: the variant to use; nil when nothing changes.
  @discardableResult
  public mutating func restore(at time: Duration) -> ModelQuality? {
    guard ceiling > quality, let since = wellSince, time - since >= recovery, let higher = quality.restore() else {
      return nil
    }
    quality = higher
    wellSince = ceiling > higher ? time : nil
    return higher
  }

  /// Follows a person's wish at once, as far as the facts allow it; nil leaves the choice to the device again.
  @discardableResult
  public mutating func setOverride(_ override: ModelQuality?) -> ModelQuality {
    self.override = override
    quality = ceiling
    wellSince = nil
    return quality
  }

  private var ceiling: ModelQuality { Self.ceiling(facts, recommended: recommended, override: override) }
}
