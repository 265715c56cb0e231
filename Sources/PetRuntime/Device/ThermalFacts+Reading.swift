// SPDX-License-Identifier: Apache-2.0
extension ThermalFacts {
  /// Reads /sys/class/thermal/thermal_zone* below `root`, "/" but for tests. Zones that are turned off or say nothing
  /// sensible are left out.
  package static func read(root: String = "/") -> ThermalFacts {
    let files = FactFiles(root: root)
    let folders = files.names("sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
    return ThermalFacts(zones: folders.compactMap { zone(files, "sys/class/thermal/\($0)", named: $0) })
  }

  private static func zone(_ files: FactFiles, _ folder: String, named name: String) -> Zone? {
    guard files.line("\(folder)/mode") != "disabled", let temperature = degrees(files.line("\(folder)/temp")) else {
      return nil
    }
    let trips = files.names(folder).filter { $0.hasPrefix("trip_point_") && $0.hasSuffix("_type") }
      .compactMap { file -> TripPoint? in
        let number = file.dropFirst("trip_point_".count).dropLast("_type".count)
        guard let kind = files.line("\(folder)/\(file)").flatMap(TripPoint.Kind.init(rawValue:)),
          let limit = degrees(files.line("\(folder)/trip_point_\(number)_temp")), limit > 0
        else { return nil }
        return TripPoint(kind: kind, temperature: limit)
      }
    return Zone(
      name: files.line("\(folder)/type") ?? name, temperature: temperature,
      state: TripPoint.state(at: temperature, trips))
  }

  /// "45000" is 45. What no thermometer of a computer can have measured, and trip points of it, are placeholders.
  private static func degrees(_ line: String?) -> Double? {
    guard let value = line.flatMap({ Int($0) }), (-100_000...250_000).contains(value) else { return nil }
    return Double(value) / 1000
  }
}

/// A temperature at which the system does something (Documentation/driver-api/thermal/sysfs-api.rst).
struct TripPoint: Equatable {
  enum Kind: String {
    /// A fan starts: nothing to mind.
    case active
    /// The system slows down.
    case passive
    /// The firmware is told, or the machine turned off.
    case hot, critical
  }

  var kind: Kind
  /// Degrees Celsius.
  var temperature: Double

  /// Degrees below a limit where one is near it.
  private static let nearness = 10.0

  /// The state of a zone at this temperature; nil where no trip point limits it.
  static func state(at temperature: Double, _ trips: [TripPoint]) -> ThermalState? {
    let end = trips.filter { $0.kind == .hot || $0.kind == .critical }.map(\.temperature).min()
    let slow = trips.filter { $0.kind == .passive }.map(\.temperature).min()
    guard let serious = slow ?? end.map({ $0 - nearness }) else { return nil }
    if let end, temperature >= end { return .critical }
    if temperature >= serious { return .serious }
    return temperature >= serious - nearness ? .fair : .nominal
  }
}
