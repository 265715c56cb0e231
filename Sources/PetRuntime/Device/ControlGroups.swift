/// The control groups of this process and the limits they set (cgroups(7)), versions 1 and 2.
struct ControlGroups {
  /// The path in the one hierarchy of version 2.
  private(set) var unified: String?
  /// Controller of version 1 -> path.
  private(set) var controllers: [String: String] = [:]

  /// - Parameter text: /proc/self/cgroup, lines of "hierarchy:controller,controller:path".
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[2].hasPrefix("/") else { continue }
      if fields[0] == "0", fields[1].isEmpty {
        unified = String(fields[2])
      } else {
        for name in fields[1].split(separator: ",") { controllers[String(name)] = String(fields[2]) }
      }
    }
  }

  /// Processors' worth of time, or nil for no limit.
  func cpuQuota(_ files: FactFiles) -> Double? {
    let second = unified.map { path in
      limits(below: "sys/fs/cgroup", path: path) { Self.quota(files.line("\($0)/cpu.max")) }
    }
    let first = controllers["cpu"].map { path in
      limits(below: "sys/fs/cgroup/cpu", path: path) { folder in
        Self.quota(files.line("\(folder)/cpu.cfs_quota_us"), period: files.line("\(folder)/cpu.cfs_period_us"))
      }
    }
    return ((second ?? []) + (first ?? [])).min()
  }

  /// Bytes, or nil for no limit.
  func memoryLimit(_ files: FactFiles) -> UInt64? {
    let second = unified.map { path in
      limits(below: "sys/fs/cgroup", path: path) { files.line("\($0)/memory.max").flatMap { UInt64($0) } }
    }
    let first = controllers["memory"].map { path in
      limits(below: "sys/fs/cgroup/memory", path: path) { folder in
        // "No limit" is the largest multiple of the page size here.
        files.line("\(folder)/memory.limit_in_bytes").flatMap { UInt64($0) }.flatMap { $0 < 1 << 62 ? $0 : nil }
      }
    }
    return ((second ?? []) + (first ?? [])).min()
  }

  /// What `read` finds in the group and in each above it: the tightest holds. Inside a container the path may be one
  /// of the host's that cannot be seen; the mount's own root is always looked at.
  private func limits<Value>(below mount: String, path: String, read: (String) -> Value?) -> [Value] {
    var parts = path.split(separator: "/").filter { $0 != ".." && $0 != "." }
    var found: [Value] = []
    while true {
      if let value = read(([mount] + parts.map(String.init)).joined(separator: "/")) { found.append(value) }
      guard !parts.isEmpty else { return found }
      parts.removeLast()
    }
  }

  /// "150000 100000" is 1.5; "max 100000" is none.
  static func quota(_ line: String?) -> Double? {
    let fields = (line ?? "").split(separator: " ")
    return fields.count == 2 ? quota(String(fields[0]), period: String(fields[1])) : nil
  }

  /// Version 1 writes -1 for none.
  static func quota(_ quota: String?, period: String?) -> Double? {
    guard let quota = quota.flatMap({ Double($0) }), let period = period.flatMap({ Double($0) }), quota > 0, period > 0
    else { return nil }
    return quota / period
  }
}
