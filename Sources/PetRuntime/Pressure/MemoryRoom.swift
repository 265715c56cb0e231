// SPDX-License-Identifier: Apache-2.0
/// How much memory can still be had, and of how much: by the machine or by the tightest control group, whichever leaves less.
public struct MemoryRoom: Sendable, Equatable {
  /// Bytes.
  public var available: UInt64
  /// Bytes; the limit that `available` is what is left of.
  public var total: UInt64

  public init(available: UInt64, total: UInt64) {
    self.available = available
    self.total = total
  }

  /// Reads below `root`, "/" but for tests; nil where nothing says.
  public static func read(root: String = "/") -> MemoryRoom? {
    let files = FactFiles(root: root)
    return MemoryRoom(
      MemoryInfo(files.text("proc/meminfo") ?? ""), ControlGroups(files.text("proc/self/cgroup") ?? ""), files)
  }

  init?(_ machine: MemoryInfo, _ groups: ControlGroups, _ files: FactFiles) {
    var rooms = GroupMemory.rooms(files, groups)
    if machine.total > 0 { rooms.append(MemoryRoom(available: machine.available, total: machine.total)) }
    guard let least = rooms.min(by: { $0.available < $1.available }) else { return nil }
    self = least
  }

  /// Whether who waits for memory may wait because it is short: where a quarter is left, it is files that are read anew, or another
  /// group that is short of its own.
  public var isTight: Bool { total == 0 || Double(available) / Double(total) < 0.25 }

  /// Nearly none left is pressure: below 5 % critical, below 10 % a warning.
  public var level: MemoryPressureLevel {
    guard total > 0 else { return .normal }
    let part = Double(available) / Double(total)
    return part < 0.05 ? .critical : part < 0.10 ? .warning : .normal
  }
}
