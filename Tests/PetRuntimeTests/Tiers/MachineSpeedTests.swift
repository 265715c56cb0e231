// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import PetFiles
import PetRuntime
import Testing

@Suite("What a machine was measured to do")
struct MachineSpeedTests {
  private static let here = MachineSpeed.Conditions(processor: "Test CPU", threads: 2, kernels: "avx2")

  /// - Parameters:
  ///   - fetches: tokens of the reference model per second, if memory took all the time.
  ///   - computes: the same, if the kernels did.
  ///   - reads: tokens of a prompt per second.
  private static func speed(_ fetches: Double, _ computes: Double, _ reads: Double) -> MachineSpeed {
    let (bytes, parameters) = (Double(PerformanceTier.reference.bytes), Double(PerformanceTier.reference.parameters))
    return MachineSpeed(
      here, memory: fetches * bytes, oneToken: computes * parameters, manyTokens: reads * parameters)
  }

  @Test(
    "the tier at its bounds: tokens a second by memory, by kernels and of a prompt, and gigabytes of memory",
    arguments: [
      // 40 and 12 a second, of which half is each one's.
      (80.01, 80.01, 200.01, 24, .high), (79.9, 79.9, 999, 24, .medium), (41, 999, 999, 24, .medium),
      (999, 41, 999, 24, .medium), (99, 99, 199.9, 24, .medium), (24.01, 24.01, 50.01, 24, .medium),
      (23.9, 23.9, 999, 24, .low), (12.1, 999, 999, 24, .low), (999, 12.1, 999, 24, .low), (99, 99, 49.9, 24, .low),
      (140, 140, 400, 24, .high), (140, 140, 400, 3, .medium), (140, 140, 400, 2, .low), (140, 140, 400, 0, .medium),
      (0.1, 0.1, 0.1, 24, .low),
    ] as [(Double, Double, Double, Double, PerformanceTier)])
  func tier(fetches: Double, computes: Double, reads: Double, gigabytes: Double, tier: PerformanceTier) {
    let speed = Self.speed(fetches, computes, reads)
    #expect(PerformanceTier(memory: UInt64(gigabytes * 1e9), speed: speed) == tier)
  }

  @Test("more of anything is never worse")
  func monotone() {
    let rates = [1, 13, 25, 43, 81, 500].map(Double.init)
    let prompts = [0, 49, 50, 199, 200, 9000].map(Double.init)
    func tier(_ a: Double, _ b: Double, _ c: Double) -> PerformanceTier {
      PerformanceTier(memory: 8_000_000_000, speed: Self.speed(a, b, c))
    }
    for (less, more) in zip(rates, rates.dropFirst()) {
      for other in rates {
        for (fewer, further) in zip(prompts, prompts.dropFirst()) {
          #expect(tier(more, other, fewer) >= tier(less, other, fewer))
          #expect(tier(other, more, fewer) >= tier(other, less, fewer))
          #expect(tier(less, other, further) >= tier(less, other, fewer))
        }
      }
    }
  }

  @Test("a token takes the time of the file's bytes and that of the products of its weights")
  func estimates() {
    let speed = MachineSpeed(Self.here, memory: 20e9, oneToken: 50e9, manyTokens: 100e9)
    #expect(speed.writing(bytes: 200_000_000, parameters: 500_000_000) == 50)
    #expect(abs(speed.writing(bytes: 800_000_000, parameters: 500_000_000) - 20) < 1e-9)
    #expect(speed.reading(parameters: 100_000_000) == 1000)
    #expect(speed.writing(bytes: 0, parameters: 0).isFinite && speed.reading(parameters: 0).isFinite)
  }

  @Test("what was measured takes the place of the list of instruction sets, also where hardware is only recommended")
  func capability() {
    var device = DeviceCapability(
      device: DeviceFacts(
        cpu: .init(model: "Test CPU", processors: 2, allowed: 2, quota: nil),
        memory: .init(total: 24_000_000_000, available: 20_000_000_000, limit: nil), system: "", kernel: "",
        architecture: ""),
      int8Hardware: Int8Hardware(instructions: [], isWide: true))
    let model = ModelRequirements(minimumMemory: 1, size: 1, int8Hardware: .recommended)
    #expect(device.hardwareTier == .medium && device.recommendedQuality(for: model) == .low)
    device.speed = Self.speed(140, 300, 400)
    #expect(device.hardwareTier == .high && device.recommendedQuality(for: model) == .high)
    device.speed = Self.speed(5, 300, 400)
    #expect(device.hardwareTier == .low)
    #expect(device.conditions.processor == "Test CPU" && device.conditions.threads == 2)
    device.device.cpu.quota = 0.5
    #expect(device.conditions.threads == 1, "fewer threads compute: it is measured anew")
  }

  @Test("what was kept holds for just this machine and program; what cannot be understood was never kept")
  func file() throws {
    let home = FileManager.default.temporaryDirectory.path + "/pet-speed-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let folder = home + "/models"
    #expect(MachineSpeed.kept(in: folder, for: Self.here) == nil)
    let speed = Self.speed(140, 300, 400)
    try speed.keep(in: folder)
    #expect(MachineSpeed.kept(in: folder, for: Self.here) == speed)
    for other in [
      MachineSpeed.Conditions(processor: "Other", threads: 2, kernels: "avx2"),
      .init(processor: "Test CPU", threads: 1, kernels: "avx2"),
      .init(processor: "Test CPU", threads: 2, kernels: "scalar"),
      .init(processor: "Test CPU", threads: 2, kernels: "avx2", program: "0.0.9"),
      .init(processor: "Test CPU", threads: 2, kernels: "avx2", build: "other"),
    ] { #expect(MachineSpeed.kept(in: folder, for: other) == nil, "\(other)") }
    let path = MachineSpeed.path(in: folder)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for broken in [
      "", "{}", "[", String(text.dropLast(20)),
      text.replacing(/"memory_bytes_per_second" : [0-9.e+]+/, with: #""memory_bytes_per_second" : -1"#),
      text.replacing(/"memory_bytes_per_second" : [0-9.e+]+/, with: #""memory_bytes_per_second" : 1e300"#),
      text + String(repeating: " ", count: 5000),
    ] {
      #expect(broken != text)
      try broken.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(MachineSpeed.kept(in: folder, for: Self.here) == nil, "\(broken)")
    }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(MachineSpeed.kept(in: folder, for: Self.here) == nil)
    #expect(throws: FileError.self) { try speed.keep(in: folder) }
  }
}
