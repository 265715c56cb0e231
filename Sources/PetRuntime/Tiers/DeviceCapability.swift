// SPDX-License-Identifier: Apache-2.0
/// Hardware and state of a device, from which the tier of a model is chosen.
public struct DeviceCapability: Sendable, Equatable {
  package var device: DeviceFacts
  package var int8Hardware: Int8Hardware
  package var power: PowerFacts
  package var thermal: ThermalFacts
  /// "iPhone14,5" on such a device; nil elsewhere.
  package var appleIdentifier: String?
  /// What it was measured to do; nil: not measured.
  package var speed: MachineSpeed?

  package init(
    device: DeviceFacts, int8Hardware: Int8Hardware, power: PowerFacts = .unavailable,
    thermal: ThermalFacts = .unavailable, appleIdentifier: String? = nil, speed: MachineSpeed? = nil
  ) {
    self.device = device
    self.int8Hardware = int8Hardware
    self.power = power
    self.thermal = thermal
    self.appleIdentifier = appleIdentifier
    self.speed = speed
  }

  /// Reads the facts below `root`, "/" but for tests. Some tens of small files.
  public static func read(root: String = "/") -> DeviceCapability {
    DeviceCapability(
      device: .read(root: root), int8Hardware: .read(root: root), power: .read(root: root), thermal: .read(root: root))
  }

  /// The same with what was measured on this machine, where that is kept in the folder of the models. Nothing is measured.
  package static func read(models folder: String) -> DeviceCapability {
    var device = read()
    device.speed = .kept(in: folder, for: device.conditions)
    return device
  }

  /// On what a measurement would hold.
  package var conditions: MachineSpeed.Conditions {
    MachineSpeed.Conditions(
      processor: device.cpu.model, threads: share.threadCount, kernels: InstructionSets.current().chosen)
  }

  private var share: ProcessorShare { ProcessorShare(allowed: device.cpu.allowed, quota: device.cpu.quota) }

  /// What the device can do when it is cool and fed.
  package var hardwareTier: PerformanceTier {
    if let appleIdentifier { return PerformanceTier(appleIdentifier: appleIdentifier) }
    let memory = min(device.memory.total, device.memory.limit ?? .max)
    if let speed { return PerformanceTier(memory: memory, speed: speed) }
    return PerformanceTier(memory: memory, processors: share.processors, int8: int8Hardware)
  }

  /// What it can do now, heat and battery considered.
  package var performanceTier: PerformanceTier {
    PerformanceTier(
      hardwareTier.quality.lowered(by: DevicePolicy.stepsDown(thermal: thermal.state) + DevicePolicy.stepsDown(power)))
  }

  /// The tier to use where none is configured: what the device can do now, but no better than the model recommends, and one lower
  /// where recommended hardware is missing and nothing was measured.
  public func recommendedQuality(for requirements: ModelRequirements) -> ModelQuality {
    let isMissed = requirements.int8Hardware != .optional && !hasInt8 && speed == nil
    return min(performanceTier.quality, requirements.recommendedQuality).lowered(by: isMissed ? 1 : 0)
  }

  /// Whether the model may run here, or every reason why not. A fact that is missing is no reason.
  public func canRun(_ requirements: ModelRequirements) -> RunDecision {
    var reasons: [RunDecision.Reason] = []
    let memory = device.memory
    let usable = min(memory.available > 0 ? memory.available : .max, memory.limit ?? .max)
    let needed = max(requirements.minimumMemory, requirements.size)
    if needed > usable { reasons.append(.memory(needed: needed, usable: usable)) }
    if requirements.int8Hardware == .required, !hasInt8 {
      reasons.append(.int8Hardware(processor: device.cpu.model))
    }
    return reasons.isEmpty ? .yes : .no(reasons)
  }

  /// Every Apple device of the table has a Neural Engine, whatever its processor's flags.
  private var hasInt8: Bool { int8Hardware.isPresent || appleIdentifier != nil }
}
