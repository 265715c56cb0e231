// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetEngine
import PetRuntime

/// What `pet doctor` found.
struct DoctorReport {
  struct Model: Encodable {
    let name: String
    let state: String
    /// What is wrong with it, and how to mend it.
    @OrNull var problem: String?
    /// Tokens per second that it is estimated to write, and to read of a prompt; null where nothing was measured, and for classifiers.
    @OrNull var estimated: SpeedReport.Estimate?

    enum CodingKeys: String, CodingKey {
      case name, state, problem
      case estimated = "estimated_tokens_per_second"
    }
  }

  let build = BuildFacts.current
  let instructionSets = InstructionSets.current()
  let capability: DeviceCapability
  let configuration: Configuration
  let folder: String
  let models: [Model]
  /// Why the model of the settings cannot be used; nil: one answers.
  let refusal: ModelStoreError?
  let resident: ResidentMemory
  let privacy = PrivacyOutlook.read()
  let energy: EnergyMeter.Source
  let target: ResidentTarget
  let speed: SpeedReport
  /// What became of what was not as it should be; nil: nobody asked.
  let fixes: [Fix]?

  init(
    configuration: Configuration, capability: DeviceCapability, speed: SpeedReport, store: ModelStore,
    fixes: [Fix]? = nil
  ) {
    self.configuration = configuration
    self.capability = capability
    self.speed = speed
    self.fixes = fixes
    folder = store.folder
    models = store.catalog.models.map { model in
      let state = store.state(of: model)
      let problem: String? = if case .damaged(let error) = state { error.description } else { nil }
      return Model(name: model.name, state: state.name, problem: problem, estimated: speed.estimate(model))
    }
    do throws(ModelStoreError) {
      _ = try store.select(configuration)
      refusal = nil
    } catch {
      refusal = error
    }
    resident = .read()
    energy = EnergyMeter().read(at: .zero).source
    target = ResidentTarget(configuration.profile.value)
  }
}

extension DoctorReport: Encodable {
  private enum Keys: String, CodingKey {
    case version, build, device, power, thermal, tier, profile, settings, memory, models, privacy, energy, problem,
      speed,
      fixes
    case instructionSets = "instruction_sets"
    case int8Hardware = "int8_hardware"
  }

  private struct Models: Encodable {
    let folder: String
    let models: [Model]
  }

  private struct Tier: Encodable {
    /// What it follows from: "measurement", "instruction_sets".
    let basis: String
    /// What the device can do when it is cool and fed.
    let hardware: PerformanceTier
    let now: PerformanceTier
    let recommendedQuality: ModelQuality

    enum CodingKeys: String, CodingKey {
      case basis, hardware, now
      case recommendedQuality = "recommended_quality"
    }
  }

  private struct Shown: Encodable {
    let value: SettingValue
    let from: String
  }

  /// Bytes.
  private struct Memory: Encodable {
    let resident: UInt64
    let idleTarget: UInt64
    let besideModelTarget: UInt64

    enum CodingKeys: String, CodingKey {
      case resident
      case idleTarget = "idle_target"
      case besideModelTarget = "beside_model_target"
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(PetVersion.current, forKey: .version)
    try container.encode(build, forKey: .build)
    try container.encode(capability.device, forKey: .device)
    try container.encode(instructionSets, forKey: .instructionSets)
    try container.encode(capability.int8Hardware.instructions, forKey: .int8Hardware)
    try container.encode(capability.power, forKey: .power)
    try container.encode(capability.thermal, forKey: .thermal)
    let tier = Tier(
      basis: speed.figures == nil ? "instruction_sets" : "measurement", hardware: capability.hardwareTier,
      now: capability.performanceTier,
      recommendedQuality: capability.performanceTier.quality)
    try container.encode(tier, forKey: .tier)
    try container.encode(configuration.profile.value, forKey: .profile)
    let settings = configuration.entries.map { ($0.key.rawValue, Shown(value: $0.value, from: $0.origin.description)) }
    try container.encode(Dictionary(settings) { first, _ in first }, forKey: .settings)
    let memory = Memory(
      resident: resident.current, idleTarget: target.idle, besideModelTarget: target.besideModel)
    try container.encode(memory, forKey: .memory)
    try container.encode(privacy, forKey: .privacy)
    try container.encode(energy.rawValue, forKey: .energy)
    try container.encode(speed, forKey: .speed)
    try container.encode(Models(folder: folder, models: models), forKey: .models)
    // Null where there is none.
    try container.encode(refusal?.description, forKey: .problem)
    try container.encode(fixes, forKey: .fixes)
  }
}
