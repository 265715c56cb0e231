// SPDX-License-Identifier: Apache-2.0
/// From what memory pressure is known.
package enum PressureSource: Sendable, Equatable {
  /// Pressure stall information: the kernel says when tasks wait for memory (Documentation/accounting/psi.rst).
  case stalls(path: String)
  /// Counters of a control group of version 2 that change when it runs into its limits.
  case events(path: String)
  /// Now and then, how much is left.
  case polling

  /// What there is to choose from. Paths; nil where the file is not there, or the kernel refused a trigger on it.
  package struct Facts: Sendable, Equatable {
    /// `memory.pressure` of the control group.
    package var groupStalls: String?
    /// `/proc/pressure/memory`.
    package var systemStalls: String?
    /// `memory.events` of the control group.
    package var groupEvents: String?
    /// Whether a control group of version 1 has a limit: it tells nobody when that is reached.
    package var hasLegacyLimit: Bool

    package init(
      groupStalls: String? = nil, systemStalls: String? = nil, groupEvents: String? = nil, hasLegacyLimit: Bool = false
    ) {
      self.groupStalls = groupStalls
      self.systemStalls = systemStalls
      self.groupEvents = groupEvents
      self.hasLegacyLimit = hasLegacyLimit
    }
  }

  /// The sources to use: the group's own stalls say more than those of the machine, events come beside them, and polling,
  /// which costs wake-ups, only where a limit would be met unseen.
  package static func choose(_ facts: Facts) -> [PressureSource] {
    var chosen: [PressureSource] = []
    if let path = facts.groupStalls ?? facts.systemStalls { chosen.append(.stalls(path: path)) }
    let seesStalls = !chosen.isEmpty
    if let path = facts.groupEvents { chosen.append(.events(path: path)) }
    if !seesStalls || facts.hasLegacyLimit { chosen.append(.polling) }
    return chosen
  }
}

extension PressureSource.Facts {
  /// Looks below `root`, "/" but for tests.
  /// - Parameter canArm: whether the kernel takes a trigger on the stalls of this path.
  static func read(root: String, canArm: (String) -> Bool) -> Self {
    let files = FactFiles(root: root)
    let groups = ControlGroups(files.text("proc/self/cgroup") ?? "")
    func existing(_ path: String) -> String? { files.text(path).map { _ in files.root + path } }
    let unified = groups.unifiedFolders
    return Self(
      groupStalls: unified.lazy.compactMap { existing("\($0)/memory.pressure") }.first.flatMap {
        canArm($0) ? $0 : nil
      },
      systemStalls: existing("proc/pressure/memory").flatMap { canArm($0) ? $0 : nil },
      groupEvents: unified.lazy.compactMap { existing("\($0)/memory.events") }.first,
      hasLegacyLimit: groups.folders(of: "memory").contains {
        ControlGroups.memoryLimit(files.line("\($0)/memory.limit_in_bytes")) != nil
      })
  }
}
