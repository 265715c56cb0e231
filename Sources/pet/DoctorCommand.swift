import ArgumentParser
import PetRuntime

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "What this machine is, what the engine makes of it, and how the models are.",
    discussion: "Models are judged by their size; `pet models verify` reads them whole.")

  @Flag(help: "Print one object.")
  var json = false

  private struct Report: Encodable {
    struct Model: Encodable {
      let name: String
      let state: String
    }

    struct Models: Encodable {
      let folder: String
      let models: [Model]
    }

    let version: String
    let build: BuildFacts
    let device: DeviceFacts
    let instructionSets: InstructionSets
    let models: Models

    enum CodingKeys: String, CodingKey {
      case version, build, device, models
      case instructionSets = "instruction_sets"
    }
  }

  func run() throws {
    let store = try ModelStore.current()
    let report = Report(
      version: PetVersion.current, build: .current, device: .read(), instructionSets: .current(),
      models: .init(
        folder: store.folder,
        models: store.catalog.models.map { .init(name: $0.name, state: store.state(of: $0).name) }))
    if json {
      try JSONOutput.write(report)
    } else {
      Output.standard.write(Self.text(report))
    }
  }

  private static func text(_ report: Report) -> String {
    let cpu = report.device.cpu
    let memory = report.device.memory
    let sets = report.instructionSets
    var facts = [
      ("pet", "\(report.version), \(report.build.configuration) build, Swift \(report.build.swift)"),
      ("system", "\(report.device.system), Linux \(report.device.kernel), \(report.device.architecture)"),
      ("processor", cpu.model),
      (
        "cores",
        "\(cpu.processors), \(cpu.allowed) usable here, "
          + (cpu.quota.map { "limited to \(Self.twoDigits($0)) by the control group" } ?? "no limit")
      ),
      (
        "memory",
        "\(ByteCount.text(memory.total)), \(ByteCount.text(memory.available)) available, "
          + (memory.limit.map { "limited to \(ByteCount.text($0)) by the control group" } ?? "no limit")
      ),
      ("kernels", "\(sets.chosen) (usable here: \(sets.usable.joined(separator: ", ")))"),
      ("models", report.models.folder),
    ]
    facts += report.models.models.map { ("", "\($0.name): \($0.state)") }
    return FactLines.text(facts)
  }

  private static func twoDigits(_ value: Double) -> String {
    "\((value * 100).rounded() / 100)"
  }
}
