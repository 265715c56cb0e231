// SPDX-License-Identifier: Apache-2.0
import PetCommandLine
import PetRuntime

extension DoctorReport {
  /// For people: facts, then a table of settings.
  var text: String {
    var table = TextTable(["SETTING", "VALUE", "FROM"])
    for entry in configuration.entries {
      table.add([entry.key.rawValue, Self.text(entry.value), entry.origin.description])
    }
    return FactLines.text(machine + state + files) + "\n" + table.text + "\n"
  }

  private var machine: [(label: String, value: String)] {
    let device = capability.device
    return [
      ("pet", "\(PetVersion.current), \(build.configuration) build, Swift \(build.swift)"),
      ("system", "\(device.system), Linux \(device.kernel), \(device.architecture)"),
      ("processor", device.cpu.model),
      (
        "cores",
        "\(device.cpu.processors), \(device.cpu.allowed) usable here, "
          + (device.cpu.quota.map { "limited to \(Self.rounded($0)) by the control group" } ?? "no limit")
      ),
      (
        "memory",
        "\(ByteCount.text(device.memory.total)), \(ByteCount.text(device.memory.available)) available, "
          + (device.memory.limit.map { "limited to \(ByteCount.text($0)) by the control group" } ?? "no limit")
      ),
      ("kernels", "\(instructionSets.chosen) (usable here: \(instructionSets.usable.joined(separator: ", ")))"),
    ]
      + (capability.int8Hardware.isPresent
        ? [("int8 hardware", capability.int8Hardware.instructions.joined(separator: ", "))] : [])
  }

  private var state: [(label: String, value: String)] {
    let now = capability.performanceTier
    let hardware = capability.hardwareTier
    let cause = now == hardware ? "" : " now, \(hardware.rawValue) when it is cool and on mains power"
    // What this machine has none of is no row.
    let own = [
      ("battery", battery), ("heat", heat),
      ("energy", energy == .unavailable ? nil : "measured by \(energy.rawValue)"),
    ]
    return own.compactMap { label, value in value.map { (label, $0) } } + [
      (
        "privacy",
        "\(privacy.state.rawValue) in pet chat and petd\(privacy.reason.map { " (\($0))" } ?? ""); \(privacy.kernel); `pet privacy` tries it"
      ),
      ("tier", "\(now.rawValue)\(cause); suits models of \(now.quality.rawValue) quality"),
      (
        "resident",
        "\(ByteCount.text(resident.current)) for this report; the aim of profile \(configuration.profile.value.rawValue) is at most "
          + "\(ByteCount.text(target.idle)) with no model, and a model's size + \(ByteCount.text(target.besideModel)) in a chat"
      ),
    ]
  }

  private var files: [(label: String, value: String)] {
    func names(_ state: ModelState) -> String? {
      let names = models.filter { $0.state == state.name }.map(\.name)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    let broken = models.compactMap { model in model.problem.map { ("", "\(model.name): \(model.state); \($0)") } }
    let rows = [
      ("", names(.present).map { "here: \($0)" }), ("", names(.absent).map { "`pet models pull NAME` brings: \($0)" }),
    ]
    return [("models", folder)] + rows.compactMap { label, value in value.map { (label, $0) } } + broken
  }

  private var battery: String? {
    let power = capability.power
    let saving = power.isSavingPower ? ", saving power" : ""
    guard let battery = power.battery else {
      return power.isOnMains == true ? "none, on mains power" + saving : power.isSavingPower ? "saving power" : nil
    }
    return (battery.capacity.map { "\($0) %, " } ?? "") + battery.status.rawValue.lowercased()
      + (power.isOnBattery ? ", not on mains power" : "") + saving
  }

  private var heat: String? {
    guard let zone = capability.thermal.hottest else { return nil }
    return (zone.state?.rawValue ?? "no limit known") + ", \(Self.rounded(zone.temperature)) °C at \(zone.name)"
  }

  private static func text(_ value: SettingValue) -> String {
    switch value {
    case .text(let text): text
    case .count(let count): "\(count)"
    case .bytes(let bytes): ByteCount.text(bytes)
    case .seconds(let seconds): seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    case .flag(let flag): "\(flag)"
    case .none(let meaning): meaning
    }
  }

  private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
