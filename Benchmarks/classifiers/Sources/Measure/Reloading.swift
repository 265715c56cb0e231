// SPDX-License-Identifier: Apache-2.0
import PetEngine

/// Loads one classifier and lets it go again and again: memory that does not come back shows here.
enum Reloading {
  static func json(_ name: String, cycles: Int) async throws -> String {
    let configuration = try Configuration(.init(flags: [.init(.classifierQuality, "high", name: "tier")]))
    let classifiers = try await ModelRuntime(configuration).addClassifiers(configuration, in: currentStore())
    func reload() async throws {
      switch name {
      case "pose": try await classifiers.pose.load()
      case "facial-expression": try await classifiers.expression.load()
      case "vocal-affect": try await classifiers.affect.load()
      default: try await classifiers.stress.load()
      }
      await classifiers.runtime.unloadAll()
    }
    var figures: [String: Double] = [:]
    for cycle in 1...cycles {
      try await reload()
      if cycle % (cycles / 4) == 0 { figures["after_\(cycle)_mb"] = resident() }
    }
    return text(figures)
  }
}
