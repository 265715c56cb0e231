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
    return FactLines.text(machine + measured + state + files) + "\n" + table.text + "\n"
  }

  private var machine: [(label: String, value: String)] {
    let device = capability.device
    return [
      ("pet", "\(PetVersion.text), Swift \(build.swift)"),
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

  private var measured: [(label: String, value: String)] {
    guard let figures = speed.figures else {
      return [("speed", "not measured: \(speed.reason ?? "")\(Self.measureAdvice)")]
    }
    let kept = speed.path.map { "\(speed.source == "kept" ? "measured before" : "measured now"), kept in \($0)" }
    let threads = figures.conditions.threads
    let rows = [
      (
        "speed",
        "reads \(ByteCount.text(Self.whole(figures.memory))) of memory a second with \(threads) thread\(threads == 1 ? "" : "s"); "
          + "\(Self.billions(figures.oneToken)) products of 8-bit integers a second with one token, "
          + "\(Self.billions(figures.manyTokens)) with many"
      ),
      ("", kept ?? "measured now, and not kept: \(speed.reason ?? "")"),
    ]
    let estimates = models.compactMap { model in
      model.estimated.map { ("", "\(model.name): writes \(Self.rate($0.write)), reads \(Self.rate($0.read))") }
    }
    guard !estimates.isEmpty else { return rows }
    return rows + [("estimated", "tokens a second of each model, which writes a reply and reads a prompt")] + estimates
  }

  private static let measureAdvice =
    "; the tier follows from the instruction sets. `pet doctor --measure` takes a quarter of a second"

  private static func billions(_ value: Double) -> String { "\((value / 1e8).rounded() / 10) billion" }

  /// A rate as far as an estimate goes: two digits.
  private static func rate(_ value: Double) -> String {
    guard value >= 10 else { return "\((value * 10).rounded() / 10)" }
    var unit = 1.0
    while value / unit >= 100, unit < 1e15 { unit *= 10 }
    return "\(whole((value / unit).rounded() * unit))"
  }

  private static func whole(_ value: Double) -> UInt64 { UInt64(exactly: value.rounded()) ?? .max }

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
