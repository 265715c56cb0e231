// SPDX-License-Identifier: Apache-2.0
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

  /// Folders of the group of version 2 and of those above it, below the file root, innermost first: every one of them limits. Version
  /// 2 stands beside version 1 in a folder of its own.
  var unifiedFolders: [String] {
    guard let unified else { return [] }
    return ["sys/fs/cgroup", "sys/fs/cgroup/unified"].flatMap { Self.folders(below: $0, path: unified) }
  }

  /// The same of a controller of version 1.
  func folders(of controller: String) -> [String] {
    controllers[controller].map { Self.folders(below: "sys/fs/cgroup/\(controller)", path: $0) } ?? []
  }

  /// Inside a container the path may be one of the host's that cannot be seen; the mount's own root always is.
  private static func folders(below mount: String, path: String) -> [String] {
    var parts = path.split(separator: "/").filter { $0 != ".." && $0 != "." }.map(String.init)
    var found: [String] = []
    while true {
      found.append(([mount] + parts).joined(separator: "/"))
      guard !parts.isEmpty else { return found }
      parts.removeLast()
    }
  }

  /// Processors' worth of time, or nil for no limit.
  func cpuQuota(_ files: FactFiles) -> Double? {
    let second = unifiedFolders.compactMap { Self.quota(files.line("\($0)/cpu.max")) }
    let first = folders(of: "cpu").compactMap { folder in
      Self.quota(files.line("\(folder)/cpu.cfs_quota_us"), period: files.line("\(folder)/cpu.cfs_period_us"))
    }
    return (second + first).min()
  }

  /// Bytes, or nil for no limit.
  func memoryLimit(_ files: FactFiles) -> UInt64? {
    let second = unifiedFolders.compactMap { Self.memoryLimit(files.line("\($0)/memory.max")) }
    let first = folders(of: "memory").compactMap { Self.memoryLimit(files.line("\($0)/memory.limit_in_bytes")) }
    return (second + first).min()
  }

  /// "No limit" is "max" in version 2, and the largest multiple of the page size in version 1.
  static func memoryLimit(_ line: String?) -> UInt64? {
    line.flatMap { UInt64($0) }.flatMap { $0 < 1 << 62 ? $0 : nil }
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
