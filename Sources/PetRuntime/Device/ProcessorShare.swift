// SPDX-License-Identifier: Apache-2.0
/// How many processors this process may use at once: what the number of threads follows from. Read by itself, since a
/// process that is to answer soon needs no other fact of its machine.
package struct ProcessorShare: Sendable, Equatable {
  /// Those it may run on; 0 where nothing says.
  package var allowed: Int
  /// Processors' worth of time that its control group grants, or nil for no limit.
  package var quota: Double?

  package init(allowed: Int, quota: Double?) {
    self.allowed = allowed
    self.quota = quota
  }

  /// Processors' worth of time that may be used at once.
  package var processors: Double {
    let whole = Double(max(1, allowed))
    return quota.map { $0 > 0 ? min($0, whole) : 0 } ?? whole
  }

  /// Threads that can compute at once, 1 to 64: more than the control group grants would wait for one another.
  package var threadCount: Int { max(1, Int(min(64, processors.rounded(.up)))) }

  /// Reads the facts below `root`, "/" but for tests.
  package static func read(root: String = "/") -> ProcessorShare {
    let files = FactFiles(root: root)
    return read(files, ControlGroups(files.text("proc/self/cgroup") ?? ""))
  }

  static func read(_ files: FactFiles, _ groups: ControlGroups) -> ProcessorShare {
    ProcessorShare(
      allowed: CPUInfo.allowed(files.text("proc/self/status") ?? "")
        ?? CPUInfo.processors(files.text("proc/cpuinfo") ?? ""),
      quota: groups.cpuQuota(files))
  }
}
