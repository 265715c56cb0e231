// SPDX-License-Identifier: Apache-2.0
import PetText

/// What the values of a setting look like.
struct SettingForm<Value: Sendable & Equatable>: Sendable {
  /// "an integer from 1 to 256"
  let allowed: String
  /// The words that are allowed, where it is words.
  var names: [String] = []
  /// nil for what is not allowed.
  let read: @Sendable (SettingInput) -> Value?

  /// - Throws: `ConfigurationError.refused`.
  func setting(_ line: SettingLine) throws(ConfigurationError) -> Setting<Value> {
    guard let value = read(line.input) else {
      let hint = line.input.string.map { NearestName.hint(for: $0, among: names) } ?? ""
      throw .refused(key: line.key, value: line.input.shown, allowed: allowed + hint, line.origin)
    }
    return Setting(value, line.origin)
  }
}

extension SettingForm where Value == Int {
  static func integer(_ range: ClosedRange<Int>) -> SettingForm {
    SettingForm(allowed: "an integer from \(range.lowerBound) to \(range.upperBound)") { input in
      input.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingForm where Value == Bool {
  static var boolean: SettingForm { SettingForm(allowed: "true or false") { $0.boolean } }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable {
  static var choice: SettingForm {
    let names = Value.allCases.map(\.rawValue)
    let allowed = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    return SettingForm(allowed: allowed, names: names) { $0.string.flatMap(Value.init(rawValue:)) }
  }
}

extension SettingForm where Value == String? {
  /// A model's name or its path.
  static var model: SettingForm {
    SettingForm(allowed: "a name from `pet models list` or the path of a GGUF file") { input in
      guard let text = input.string, !text.isEmpty, text.utf8.count < 4096,
        !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
      else { return nil }
      return .some(text)
    }
  }
}

extension SettingForm where Value == Set<Rung> {
  /// Rungs by their names, with commas between them, "all", or "all but" some.
  static var rungs: SettingForm {
    let allowed =
      "\"all\", \"all but\" some, or a list as in \"\(Rung.list(Rung.required.union([.frequent])))\": always \(Rung.list(Rung.required)), "
      + "and any of \(Rung.list(Set(Rung.allCases).subtracting(Rung.required)))"
    return SettingForm(allowed: allowed) { input in
      guard let text = input.string else { return nil }
      if text == Rung.all { return Set(Rung.allCases) }
      let isBut = text.hasPrefix(Rung.but)
      let rungs = text.dropFirst(isBut ? Rung.but.count : 0).split(separator: ",", omittingEmptySubsequences: false).map
      {
        Rung(rawValue: String($0.trimmed))
      }
      let listed = Set(rungs.compactMap(\.self))
      let named = isBut ? Set(Rung.allCases).subtracting(listed) : listed
      return rungs.contains(nil) || !named.isSuperset(of: Rung.required) ? nil : named
    }
  }
}

extension Rung {
  fileprivate static let all = "all"
  fileprivate static let but = "all but "

  /// As a setting has them.
  static func list(_ rungs: Set<Rung>) -> String {
    let others = allCases.filter { !rungs.contains($0) }
    guard !others.isEmpty else { return all }
    let isBut = others.count < 4
    return (isBut ? but : "")
      + (isBut ? others : allCases.filter(rungs.contains)).map(\.rawValue).joined(separator: ", ")
  }
}

extension SettingForm where Value == UInt64 {
  /// Bytes: a number of them, or "500 MB".
  static func bytes(_ range: ClosedRange<UInt64>) -> SettingForm {
    let units: [String: UInt64] = [
      "b": 1, "kb": 1000, "mb": 1_000_000, "gb": 1_000_000_000, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
    ]
    let allowed = "bytes as in \"500 MB\" (B, kB, MB, GB, KiB, MiB, GiB), \(range.lowerBound) to \(range.upperBound)"
    return SettingForm(allowed: allowed) { input in
      let bytes = input.integer.flatMap { UInt64(exactly: $0) } ?? input.string.flatMap { product($0, units) }
      return bytes.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingForm where Value == Duration? {
  /// A time: seconds, or "10 min"; "never" is nil.
  static func time(_ range: ClosedRange<UInt64>) -> SettingForm {
    let units: [String: UInt64] = ["s": 1, "min": 60, "h": 3600]
    let allowed =
      "a time as in \"10 min\" (s, min, h), \(range.lowerBound) to \(range.upperBound) seconds, or \"never\""
    return SettingForm(allowed: allowed) { input in
      if input.string == "never" { return .some(nil) }
      let seconds = input.integer.flatMap { UInt64(exactly: $0) } ?? input.string.flatMap { product($0, units) }
      return seconds.flatMap { range.contains($0) ? .some(.seconds($0)) : nil }
    }
  }
}

/// "500 MB": the number times what its unit stands for; nil for what is none or too much.
private func product(_ text: String, _ units: [String: UInt64]) -> UInt64? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  guard let count = UInt64(digits), let unit = units[text.dropFirst(digits.count).trimmed.lowercased()] else {
    return nil
  }
  let (value, overflow) = count.multipliedReportingOverflow(by: unit)
  return overflow ? nil : value
}
