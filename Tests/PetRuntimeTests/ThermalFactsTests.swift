// SPDX-License-Identifier: Apache-2.0
import PetRuntime
import Testing

@Suite("Heat, from a tree of files")
struct ThermalFactsTests {
  private let root: TemporaryFolder

  init() throws {
    root = try TemporaryFolder()
  }

  /// - Parameter trips: kind and millidegrees.
  private func zone(_ number: Int, _ temperature: String, type: String? = nil, _ trips: [(String, String)] = []) throws
  {
    let folder = "sys/class/thermal/thermal_zone\(number)"
    try root.write("\(folder)/temp", temperature + "\n")
    if let type { try root.write("\(folder)/type", type + "\n") }
    for (index, (kind, limit)) in trips.enumerated() {
      try root.write("\(folder)/trip_point_\(index)_type", kind + "\n")
      try root.write("\(folder)/trip_point_\(index)_temp", limit + "\n")
    }
  }

  private func read() -> ThermalFacts { .read(root: root.path) }

  @Test("a machine that says nothing")
  func absent() {
    #expect(read() == .unavailable && read().state == nil && read().hottest == nil)
  }

  @Test(
    "the state follows from the trip points",
    arguments: [
      (40, .nominal), (74.9, .nominal), (75, .fair), (84.9, .fair), (85, .serious), (99.9, .serious), (100, .critical),
      (120, .critical), (-20, .nominal),
    ] as [(Double, ThermalState)])
  func states(temperature: Double, state: ThermalState) throws {
    let trips = [
      ("active", "50000"), ("passive", "85000"), ("passive", "95000"), ("hot", "100000"), ("critical", "105000"),
    ]
    try zone(0, "\(Int(temperature * 1000))", type: "x86_pkg_temp", trips)
    #expect(read() == ThermalFacts(zones: [.init(name: "x86_pkg_temp", temperature: temperature, state: state)]))
    #expect(read().state == state)
  }

  @Test("where only the end is known, ten degrees before it count as serious")
  func noPassive() throws {
    for (temperature, state) in [(79, ThermalState.nominal), (80, .fair), (90, .serious), (100, .critical)] {
      try zone(0, "\(temperature)000", [("critical", "100000")])
      #expect(read().state == state)
    }
  }

  @Test("the worst zone decides, and the hottest of those is shown")
  func several() throws {
    try zone(0, "90000", type: "chip", [("critical", "200000")])
    try zone(1, "50000", type: "battery", [("passive", "45000")])
    try zone(2, "47000", type: "skin", [("passive", "45000")])
    try zone(3, "99000", type: "other")
    #expect(read().state == .serious && read().hottest?.name == "battery" && read().zones.count == 4)
  }

  @Test("a zone without limits has a temperature and no state")
  func unlimited() throws {
    try zone(7, "45500", [("active", "30000")])
    #expect(read() == ThermalFacts(zones: [.init(name: "thermal_zone7", temperature: 45.5, state: nil)]))
    #expect(read().hottest?.temperature == 45.5)
  }

  @Test("what is turned off, absurd or no zone is left out")
  func leftOut() throws {
    try zone(0, "50000", [("passive", "0"), ("critical", "-274000"), ("hot", "9999999"), ("passive", "x")])
    #expect(read().zones.first?.state == nil)
    try zone(1, "-274000", [("passive", "90000")])
    try zone(2, "99999999999999999999", [("passive", "90000")])
    try zone(3, "hot", [("passive", "90000")])
    try zone(4, "99000", [("passive", "90000")])
    try root.write("sys/class/thermal/thermal_zone4/mode", "disabled\n")
    try root.write("sys/class/thermal/cooling_device0/temp", "99000\n")
    #expect(read().zones.map(\.name) == ["thermal_zone0"])
  }
}
