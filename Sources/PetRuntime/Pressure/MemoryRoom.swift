// SPDX-License-Identifier: Apache-2.0
/// Available memory and its limit: of the machine or of the tightest control group, whichever leaves less.
public struct MemoryRoom: Sendable, Equatable {
  /// Bytes.
  public var available: UInt64
  /// Bytes; the limit that `available` is a part of.
  public var total: UInt64

  package init(available: UInt64, total: UInt64) {
    self.available = available
    self.total = total
  }

  /// Reads below `root`, "/" but for tests; nil where nothing says.
  public static func read(root: String = "/") -> MemoryRoom? {
    let files = FactFiles(root: root)
    return MemoryRoom(
      MemoryInfo(files.text("proc/meminfo") ?? ""), ControlGroups(files.text("proc/self/cgroup") ?? ""), files)
  }

  /// Whether who waits for memory may wait because this process has little of it. In a group with a limit nobody else can make it wait;
  /// where there is none, and a quarter of the machine is left, it waits for another's files.
  package static func mayBeShort(root: String) -> Bool {
    let files = FactFiles(root: root)
    let machine = MemoryInfo(files.text("proc/meminfo") ?? "")
    let groups = GroupMemory.rooms(files, ControlGroups(files.text("proc/self/cgroup") ?? ""))
    return !groups.isEmpty || machine.total == 0 || Double(machine.available) / Double(machine.total) < 0.25
  }

  init?(_ machine: MemoryInfo, _ groups: ControlGroups, _ files: FactFiles) {
    var rooms = GroupMemory.rooms(files, groups)
    if machine.total > 0 { rooms.append(MemoryRoom(available: machine.available, total: machine.total)) }
    guard let least = rooms.min(by: { $0.available < $1.available }) else { return nil }
    self = least
  }

  /// Nearly none left is pressure: below 5 % critical, below 10 % a warning.
  package var level: MemoryPressureLevel {
    guard total > 0 else { return .normal }
    let part = Double(available) / Double(total)
    return part < 0.05 ? .critical : part < 0.10 ? .warning : .normal
  }
}
