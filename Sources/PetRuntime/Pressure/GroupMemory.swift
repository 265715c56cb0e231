// SPDX-License-Identifier: Apache-2.0
/// What control groups use of what they may (cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst).
enum GroupMemory {
  /// One for each group that has a limit.
  static func rooms(_ files: FactFiles, _ groups: ControlGroups) -> [MemoryRoom] {
    groups.unifiedFolders.compactMap {
      room(
        limit: files.line("\($0)/memory.max"), used: files.line("\($0)/memory.current"),
        statistics: files.text("\($0)/memory.stat"), reclaimable: ["inactive_file", "active_file"])
    }
      + groups.folders(of: "memory").compactMap {
        room(
          limit: files.line("\($0)/memory.limit_in_bytes"), used: files.line("\($0)/memory.usage_in_bytes"),
          statistics: files.text("\($0)/memory.stat"), reclaimable: ["total_inactive_file", "total_active_file"])
      }
  }

  /// Files count as used and can be had back at any time: they are read again where they are needed, as are the program's own pages and
  /// those of models that are mapped.
  private static func room(limit: String?, used: String?, statistics: String?, reclaimable: [String]) -> MemoryRoom? {
    guard let limit = ControlGroups.memoryLimit(limit), let used = used.flatMap({ UInt64($0) }) else { return nil }
    let cached = (statistics ?? "").split(separator: "\n").reduce(UInt64(0)) { sum, line in
      let words = line.split(separator: " ")
      guard words.count == 2, reclaimable.contains(String(words[0])) else { return sum }
      return sum.addingReportingOverflow(UInt64(words[1]) ?? 0).partialValue
    }
    return MemoryRoom(available: limit.saturatingSubtract(used.saturatingSubtract(cached)), total: limit)
  }
}
