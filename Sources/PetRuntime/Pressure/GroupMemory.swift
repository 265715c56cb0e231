/// What control groups use of what they may (cgroups(7), Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst).
enum GroupMemory {
  /// Folders of the group and those above it, below the file root, innermost first. Version 2 stands beside version 1 in a folder of
  /// its own. Inside a container the path may be one of the host's that cannot be seen; the mount's own root always is.
  static func folders(mount: String, path: String) -> [String] {
    var parts = path.split(separator: "/").filter { $0 != "." && $0 != ".." }.map(String.init)
    var found: [String] = []
    while true {
      found.append(([mount] + parts).joined(separator: "/"))
      guard !parts.isEmpty else { return found }
      parts.removeLast()
    }
  }

  static func unifiedFolders(_ groups: ControlGroups) -> [String] {
    guard let path = groups.unified else { return [] }
    return ["sys/fs/cgroup", "sys/fs/cgroup/unified"].flatMap { folders(mount: $0, path: path) }
  }

  static func legacyFolders(_ groups: ControlGroups) -> [String] {
    guard let path = groups.controllers["memory"] else { return [] }
    return folders(mount: "sys/fs/cgroup/memory", path: path)
  }

  /// One for each group that has a limit.
  static func rooms(_ files: FactFiles, _ groups: ControlGroups) -> [MemoryRoom] {
    unifiedFolders(groups).compactMap {
      room(
        limit: files.line("\($0)/memory.max"), used: files.line("\($0)/memory.current"),
        statistics: files.text("\($0)/memory.stat"), reclaimable: "inactive_file")
    }
      + legacyFolders(groups).compactMap {
        room(
          limit: files.line("\($0)/memory.limit_in_bytes"), used: files.line("\($0)/memory.usage_in_bytes"),
          statistics: files.text("\($0)/memory.stat"), reclaimable: "total_inactive_file")
      }
  }

  /// Files that were read and are not in use count as used and can be had back at once.
  private static func room(limit: String?, used: String?, statistics: String?, reclaimable: String) -> MemoryRoom? {
    // "No limit" is "max" in version 2, and the largest multiple of the page size in version 1.
    guard let limit = limit.flatMap({ UInt64($0) }), limit < 1 << 62, let used = used.flatMap({ UInt64($0) })
    else { return nil }
    let line = statistics?.split(separator: "\n").first { $0.hasPrefix(reclaimable + " ") }
    let cached = line.flatMap { UInt64($0.dropFirst(reclaimable.count + 1)) } ?? 0
    return MemoryRoom(available: limit.saturatingSubtract(used.saturatingSubtract(cached)), total: limit)
  }
}
