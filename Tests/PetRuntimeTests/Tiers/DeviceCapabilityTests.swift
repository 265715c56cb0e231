// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetRuntime
import Testing

@Suite("What a device can do")
struct DeviceCapabilityTests {
  /// 8 GB, 4 processors, int8 hardware, cool, on mains.
  private var good: DeviceCapability {
    DeviceCapability(
      device: DeviceFacts(
        cpu: .init(model: "Test CPU", processors: 4, allowed: 4, quota: nil),
        memory: .init(total: 8_000_000_000, available: 2_000_000_000, limit: nil), system: "", kernel: "",
        architecture: ""),
      int8Hardware: Int8Hardware(instructions: ["AVX-VNNI"]), power: .init(battery: nil, isOnMains: true),
      thermal: heat(.nominal))
  }

  private func heat(_ state: ThermalState) -> ThermalFacts {
    ThermalFacts(zones: [.init(name: "test", temperature: 50, state: state)])
  }

  private func battery(_ capacity: Int?, onMains: Bool = false) -> PowerFacts {
    PowerFacts(battery: .init(capacity: capacity, status: onMains ? .charging : .discharging), isOnMains: onMains)
  }

  private let small = ModelRequirements(minimumMemory: 50_000_000, size: 5_000_000, expectedFrequency: 20)

  @Test("the tightest limit counts")
  func tier() {
    var device = good
    #expect(device.hardwareTier == .high && device.performanceTier == .high)
    device.device.memory.limit = 3_000_000_000
    #expect(device.hardwareTier == .medium)
    device.device.cpu.quota = 0.5
    #expect(device.hardwareTier == .low)
    // Without dot products wide vectors do, with less of them.
    device = good
    for (isWide, processors, tier) in [
      (true, 8, PerformanceTier.high), (true, 2, .medium), (false, 4, .medium), (false, 2, .low),
    ] {
      device.int8Hardware = Int8Hardware(instructions: [], isWide: isWide)
      (device.device.cpu.processors, device.device.cpu.allowed) = (processors, processors)
      #expect(device.hardwareTier == tier, "\(isWide), \(processors)")
    }
    device.device.memory.limit = 2_000_000_000
    #expect(device.hardwareTier == .low)
    // An Apple device is what the table says it is.
    device.appleIdentifier = "iPhone14,5"
    #expect(device.hardwareTier == .high)
  }

  @Test("heat and an empty battery lower the tier of now, not that of the hardware")
  func now() {
    for (state, tier) in [
      (ThermalState.nominal, PerformanceTier.high), (.fair, .high), (.serious, .medium), (.critical, .low),
    ] {
      var device = good
      device.thermal = heat(state)
      #expect(device.performanceTier == tier && device.hardwareTier == .high)
    }
    for (power, tier) in [
      (battery(19), PerformanceTier.medium), (battery(20), .high), (battery(0), .medium), (battery(nil), .high),
      (battery(5, onMains: true), .high), (PowerFacts(battery: nil, isOnMains: true, isSavingPower: true), .medium),
    ] {
      var device = good
      device.power = power
      #expect(device.performanceTier == tier, "\(power)")
      #expect(device.hardwareTier == .high)
    }
    var device = good
    device.thermal = heat(.serious)
    device.power = battery(10)
    #expect(device.performanceTier == .low)
  }

  @Test("the recommendation: the tier, the maker's limit, missing hardware")
  func recommendation() {
    var device = good
    var model = small
    #expect(device.recommendedQuality(for: model) == .high)
    model.recommendedQuality = .medium
    #expect(device.recommendedQuality(for: model) == .medium)
    device.int8Hardware.instructions = []
    #expect(device.recommendedQuality(for: model) == .medium, "without int8 hardware the tier is medium")
    model.int8Hardware = .recommended
    #expect(device.recommendedQuality(for: model) == .low)
    device.appleIdentifier = "iPhone15,2"
    #expect(device.recommendedQuality(for: model) == .medium, "it has a Neural Engine")
  }

  @Test("whether a model can run, and every reason why not with its figures")
  func canRun() {
    var device = good
    var model = small
    #expect(device.canRun(model) == .yes)
    model.minimumMemory = 2_000_000_000
    #expect(device.canRun(model) == .yes)
    model.minimumMemory += 1
    #expect(device.canRun(model) == .no([.memory(needed: 2_000_000_001, usable: 2_000_000_000)]))
    model = small
    model.size = 3_000_000_000
    #expect(device.canRun(model) == .no([.memory(needed: 3_000_000_000, usable: 2_000_000_000)]), "the file alone")
    device.device.memory.limit = 40_000_000
    model = small
    model.int8Hardware = .required
    device.int8Hardware.instructions = []
    let reasons: [RunDecision.Reason] = [
      .memory(needed: 50_000_000, usable: 40_000_000), .int8Hardware(processor: "Test CPU"),
    ]
    #expect(device.canRun(model) == .no(reasons))
    #expect(reasons[0].description.contains("50 MB") && reasons[0].description.contains("40 MB"))
    #expect(reasons[1].description.contains("Test CPU") && reasons[1].description.contains("AVX-512 VNNI"))
  }

  @Test("what is not known is no reason")
  func unknown() {
    var device = good
    device.device.memory = .init(total: 0, available: 0, limit: nil)
    device.power = .unavailable
    device.thermal = .unavailable
    #expect(device.canRun(small) == .yes)
    #expect(device.performanceTier == .medium)
  }

  @Test("requirements as a catalog writes them")
  func requirements() throws {
    let json = """
      {"minimum_memory_mb": 100, "int8_hardware": "required", "recommended_quality": "low", "expected_frequency": 0.2}
      """
    let read = try JSONDecoder().decode(ModelRequirements.self, from: Data(json.utf8))
    let expected = ModelRequirements(
      minimumMemory: 100_000_000, size: 0, int8Hardware: .required, recommendedQuality: .low, expectedFrequency: 0.2)
    #expect(read == expected)
    #expect(try JSONDecoder().decode(ModelRequirements.self, from: JSONEncoder().encode(read)) == expected)
    for (part, wrong) in [
      ("0.2", "0"), ("0.2", "-1"), ("0.2", "1e300"), ("100", "-1"), ("100", "0"), ("100", "1000001"), ("100", "1e30"),
      ("\"low\"", "\"best\""),
    ] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ModelRequirements.self, from: Data(json.replacing(part, with: wrong).utf8))
      }
    }
  }

  @Test("rates fall with heat, and models that nobody waits for stop on a low battery")
  func policies() {
    let rates = [nil, .nominal, .fair, .serious, .critical].map { DevicePolicy.rate(thermal: $0) }
    #expect(rates == [1, 1, 1, 0.75, 0.5])
    #expect(!DevicePolicy.allowsOptionalModels(battery(19)) && DevicePolicy.allowsOptionalModels(battery(20)))
    #expect(DevicePolicy.allowsOptionalModels(battery(3, onMains: true)))
    #expect(DevicePolicy.allowsOptionalModels(.unavailable))
    #expect(DevicePolicy.allowsOptionalModels(PowerFacts(battery: nil, isOnMains: nil, isSavingPower: true)))
  }

  @Test("this machine")
  func here() {
    let device = DeviceCapability.read()
    #expect(device.performanceTier <= device.hardwareTier)
    #expect(device.canRun(small) == .yes)
  }
}
